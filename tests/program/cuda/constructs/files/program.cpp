#include "../../check.h"
#include "tree.h"

int main()
{
    return verdict(count_nodes(4), 31);
}
