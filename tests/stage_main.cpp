// The test program of one stage, with stand-ins for the strategies.
#include "support/matchers.hpp"
#include "support/stand_ins.hpp"

#include <cstdlib>

int main(int argc, char** argv)
{
    setenv("COLUMNS", "80", 1); // whatever terminal the tests run in
    testing::InitGoogleMock(&argc, argv);
    nestbed::register_stand_ins();
    return RUN_ALL_TESTS();
}
