// Environment variables of tests.
#pragma once

#include <cstdlib>
#include <optional>
#include <string>
#include <utility>

namespace nestbed
{

// Sets an environment variable to another value as long as this object exists.
class EnvironmentVariable
{
  public:
    EnvironmentVariable(std::string name, const std::string& value) : name_(std::move(name))
    {
        if (const char* before = std::getenv(name_.c_str()))
            before_ = before;
        setenv(name_.c_str(), value.c_str(), 1);
    }
    EnvironmentVariable(const EnvironmentVariable&) = delete;
    EnvironmentVariable& operator=(const EnvironmentVariable&) = delete;
    ~EnvironmentVariable()
    {
        if (before_)
            setenv(name_.c_str(), before_->c_str(), 1);
        else
            unsetenv(name_.c_str());
    }

  private:
    std::string name_;
    std::optional<std::string> before_;
};

} // namespace nestbed
