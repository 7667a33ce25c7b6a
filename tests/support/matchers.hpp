// GoogleTest, and its matchers under the names that most tests use.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace nestbed
{

using testing::AllOf;
using testing::ContainsRegex;
using testing::Each;
using testing::ElementsAre;
using testing::EndsWith;
using testing::Gt;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;
using testing::StartsWith;

} // namespace nestbed
