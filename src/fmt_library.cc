// fmt, compiled once, as its own src/format.cc is: Debian has no static library of it, and as headers alone it costs every file
// that formats a text about two seconds.
#include <fmt/format-inl.h>

FMT_BEGIN_NAMESPACE
namespace detail
{
template dragonbox::decimal_fp<float> dragonbox::to_decimal(float) noexcept;
template dragonbox::decimal_fp<double> dragonbox::to_decimal(double) noexcept;
template locale_ref::locale_ref(const std::locale&);
template std::locale locale_ref::get<std::locale>() const;
template thousands_sep_result<char> thousands_sep_impl(locale_ref);
template thousands_sep_result<wchar_t> thousands_sep_impl(locale_ref);
template char decimal_point_impl(locale_ref);
template wchar_t decimal_point_impl(locale_ref);
} // namespace detail
FMT_END_NAMESPACE
