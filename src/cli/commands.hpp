// The commands of the command line: what comes after the command's name, where data and where messages go. Each returns
// an exit code (error.hpp) and throws UsageError or RunError.
#pragma once

#include "model/sample.hpp"

#include <iosfwd>
#include <string>
#include <vector>

namespace nestbed
{

using Arguments = std::vector<std::string>;

int run(const Arguments& arguments, std::ostream& out, std::ostream& err);
int list(const Arguments& arguments, std::ostream& out, std::ostream& err);
int info(const Arguments& arguments, std::ostream& out, std::ostream& err);
int hello(const Arguments& arguments, std::ostream& out, std::ostream& err);
// What hello ends with: how many threads greeted, and the device launches where this build counts them.
std::string greetings_text(const Sample& sample);
int blobs(const Arguments& arguments, std::ostream& out, std::ostream& err);
int trace(const Arguments& arguments, std::ostream& out, std::ostream& err);
int tree(const Arguments& arguments, std::ostream& out, std::ostream& err);
int profile(const Arguments& arguments, std::ostream& out, std::ostream& err);
int warps(const Arguments& arguments, std::ostream& out, std::ostream& err);
int statistics(const Arguments& arguments, std::ostream& out, std::ostream& err);
int merge(const Arguments& arguments, std::ostream& out, std::ostream& err);
int compare(const Arguments& arguments, std::ostream& out, std::ostream& err);
int reconcile(const Arguments& arguments, std::ostream& out, std::ostream& err);
// What `run` starts for itself: not for users.
int worker(const Arguments& arguments);

} // namespace nestbed
