// Kind: struct passed by value while it is written
// A launch copies its arguments. Another block writes the struct at the same time.
#include "../check.h"

struct Settings {
    int first, step, count;
    double scale;
};

__global__ void progression(Settings settings, int* sum)
{
    int all = 0;
    for (int i = 0; i < settings.count; ++i)
        all += settings.first + i * settings.step;
    *sum = static_cast<int>(all * settings.scale);
}

__global__ void parent(Settings* settings, int* sum)
{
    if (blockIdx.x == 0)
        progression<<<1, 1>>>(*settings, sum); // BUG
#ifdef BUG
    if (blockIdx.x == 1)
        settings->step = 2; // BUG
#endif
}

int main()
{
    const Settings host[] = {{1, 2, 10, 2.0}};
    int* const sum = memory<int>();
    Settings* const settings = copy_of(host);
    parent<<<2, 1>>>(settings, sum);
    return verdict(value_of(sum), 200);
}
