// Kernels in namespaces and with internal linkage; a kernel that is a friend; a kernel that a class launches; two kernels of one name.
#include "../check.h"

class Account
{
  public:
    explicit Account(int* balance) : balance_(balance) {}
    void open() const;
    __device__ void pay(int amount) const;
    friend __global__ void close_account(const Account account);

  private:
    static constexpr int kFee = 3;
    int* balance_;
};

namespace
{
__global__ void change(int* balance, int amount)
{
    *balance += amount;
}
} // namespace

namespace bank::inner
{
static __global__ void change(int* balance, int amount)
{
    ::change<<<1, 1>>>(balance, -amount);
}
} // namespace bank::inner

__device__ void Account::pay(int amount) const
{
    bank::inner::change<<<1, 1>>>(balance_, amount + kFee);
}

__global__ void close_account(const Account account)
{
    *account.balance_ -= Account::kFee;
}

namespace bank
{
using namespace inner;
__global__ void open_account(Account account, int* balance)
{
    *balance = 100;
    account.pay(40);
    close_account<<<1, 1>>>(account);
}
} // namespace bank

void Account::open() const
{
    bank::open_account<<<1, 1>>>(*this, balance_);
}

int main()
{
    int* const balance = memory<int>();
    Account(balance).open();
    return verdict(value_of(balance), 54);
}
