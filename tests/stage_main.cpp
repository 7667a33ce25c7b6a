// The test program of one stage, with stand-ins for the strategies.
#include "support/stand_ins.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

int main(int argc, char** argv)
{
    testing::InitGoogleMock(&argc, argv);
    nestbed::register_stand_ins();
    return RUN_ALL_TESTS();
}
