// What algorithms of Thrust compute, on the device, on the host and in a kernel, and what its iterators, policies, pointers and vectors are.
#include <cstdio>
#include <thrust/adjacent_difference.h>
#include <thrust/binary_search.h>
#include <thrust/complex.h>
#include <thrust/copy.h>
#include <thrust/count.h>
#include <thrust/device_free.h>
#include <thrust/device_malloc.h>
#include <thrust/device_vector.h>
#include <thrust/equal.h>
#include <thrust/execution_policy.h>
#include <thrust/extrema.h>
#include <thrust/fill.h>
#include <thrust/find.h>
#include <thrust/for_each.h>
#include <thrust/functional.h>
#include <thrust/gather.h>
#include <thrust/host_vector.h>
#include <thrust/inner_product.h>
#include <thrust/iterator/constant_iterator.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/discard_iterator.h>
#include <thrust/iterator/permutation_iterator.h>
#include <thrust/iterator/reverse_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/transform_output_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/logical.h>
#include <thrust/merge.h>
#include <thrust/mismatch.h>
#include <thrust/pair.h>
#include <thrust/partition.h>
#include <thrust/random.h>
#include <thrust/reduce.h>
#include <thrust/remove.h>
#include <thrust/replace.h>
#include <thrust/reverse.h>
#include <thrust/scan.h>
#include <thrust/scatter.h>
#include <thrust/sequence.h>
#include <thrust/set_operations.h>
#include <thrust/sort.h>
#include <thrust/swap.h>
#include <thrust/system/cuda/execution_policy.h>
#include <thrust/tabulate.h>
#include <thrust/transform.h>
#include <thrust/transform_reduce.h>
#include <thrust/transform_scan.h>
#include <thrust/tuple.h>
#include <thrust/unique.h>
#include <thrust/universal_vector.h>

#include <iostream>
#include <iterator>
#include <vector>

struct IsEven {
    __host__ __device__ bool operator()(int value) const { return value % 2 == 0; }
};
struct Square {
    __host__ __device__ int operator()(int value) const { return value * value; }
};
struct LastDigitLess {
    __host__ __device__ bool operator()(int left, int right) const { return left % 10 < right % 10; }
};
struct SumOfPair {
    template <class Tuple>
    __host__ __device__ int operator()(const Tuple& pair) const
    {
        return thrust::get<0>(pair) + 10 * thrust::get<1>(pair);
    }
};
struct AddTo {
    int* sum;
    __device__ void operator()(int value) const { atomicAdd(sum, value); }
};
struct PutSum {
    template <class Tuple>
    __host__ __device__ void operator()(Tuple all) const
    {
        thrust::get<2>(all) = thrust::get<0>(all) + thrust::get<1>(all);
    }
};

template <class Vector>
static void show(const char* name, const Vector& values, std::ptrdiff_t count = -1)
{
    const std::vector<typename Vector::value_type> copied = [&] {
        std::vector<typename Vector::value_type> to(values.size());
        thrust::copy(values.begin(), values.end(), to.begin());
        return to;
    }();
    std::cout << name << ":";
    for (std::size_t at = 0; at < (count < 0 ? copied.size() : static_cast<std::size_t>(count)); ++at)
        std::cout << " " << copied[at];
    std::cout << "\n";
}

// The same for vectors of the host and of the device.
template <template <class, class...> class Vector_>
static void algorithms(const char* where)
{
    using Vector = Vector_<int>;
    std::cout << "== " << where << "\n";
    const int given[] = {31, 12, 12, 5, 47, 8, 8, 20, 31, 6};
    const Vector in(given, given + 10);
    Vector a(10), b(10), c = in, keys(10);
    thrust::sequence(a.begin(), a.end());
    show("sequence", a);
    thrust::sequence(a.begin(), a.end(), 5, 3);
    show("by 3", a);
    thrust::transform(in.begin(), in.end(), a.begin(), b.begin(), thrust::plus<int>());
    show("sum", b);
    thrust::transform(in.begin(), in.end(), b.begin(), thrust::negate<int>());
    show("negated", b);
    std::cout << "reduce: " << thrust::reduce(in.begin(), in.end()) << " "
              << thrust::reduce(in.begin(), in.end(), 0, thrust::maximum<int>()) << " "
              << thrust::transform_reduce(in.begin(), in.end(), Square(), 0, thrust::plus<int>()) << " "
              << thrust::inner_product(in.begin(), in.end(), a.begin(), 7) << "\n";
    std::cout << "count: " << thrust::count(in.begin(), in.end(), 8) << " "
              << thrust::count_if(in.begin(), in.end(), IsEven()) << " "
              << thrust::all_of(in.begin(), in.end(), IsEven()) << thrust::any_of(in.begin(), in.end(), IsEven())
              << thrust::none_of(in.begin(), in.end(), IsEven()) << "\n";
    std::cout << "places: " << thrust::min_element(in.begin(), in.end()) - in.begin() << " "
              << thrust::max_element(in.begin(), in.end()) - in.begin() << " "
              << thrust::find(in.begin(), in.end(), 47) - in.begin() << " "
              << thrust::find_if(in.begin(), in.end(), IsEven()) - in.begin() << " "
              << thrust::minmax_element(in.begin(), in.end()).second - in.begin() << " "
              << thrust::mismatch(in.begin(), in.end(), c.begin()).first - in.begin() << "\n";
    thrust::inclusive_scan(in.begin(), in.end(), b.begin());
    show("inclusive", b);
    thrust::exclusive_scan(in.begin(), in.end(), b.begin(), 100);
    show("exclusive", b);
    thrust::inclusive_scan(in.begin(), in.end(), b.begin(), thrust::maximum<int>());
    show("maximum so far", b);
    thrust::transform_exclusive_scan(in.begin(), in.end(), b.begin(), Square(), 1, thrust::plus<int>());
    show("of squares", b);
    thrust::adjacent_difference(in.begin(), in.end(), b.begin());
    show("differences", b);
    show("copy_if", b, thrust::copy_if(in.begin(), in.end(), b.begin(), IsEven()) - b.begin());
    show("by stencil", b, thrust::copy_if(in.begin(), in.end(), a.begin(), b.begin(), IsEven()) - b.begin());
    show("remove", c, thrust::remove(c.begin(), c.end(), 8) - c.begin());
    c = in;
    show("remove_if", c, thrust::remove_if(c.begin(), c.end(), IsEven()) - c.begin());
    c = in;
    show("unique", c, thrust::unique(c.begin(), c.end()) - c.begin());
    c = in;
    const std::ptrdiff_t evens = thrust::stable_partition(c.begin(), c.end(), IsEven()) - c.begin();
    show("partition", c);
    std::cout << "evens: " << evens << "\n";
    c = in;
    thrust::stable_sort(c.begin(), c.end(), LastDigitLess());
    show("by last digit", c);
    c = in;
    thrust::sequence(b.begin(), b.end());
    thrust::stable_sort_by_key(c.begin(), c.end(), b.begin(), thrust::greater<int>());
    show("greater", c);
    show("their places", b);
    thrust::sort(c.begin(), c.end());
    show("sorted", c);
    std::cout << "bounds: " << thrust::lower_bound(c.begin(), c.end(), 12) - c.begin() << " "
              << thrust::upper_bound(c.begin(), c.end(), 12) - c.begin() << " "
              << thrust::binary_search(c.begin(), c.end(), 13) << thrust::is_sorted(c.begin(), c.end()) << "\n";
    thrust::lower_bound(c.begin(), c.end(), a.begin(), a.end(), b.begin());
    show("of each", b);
    const auto ends =
        thrust::reduce_by_key(c.begin(), c.end(), thrust::constant_iterator<int>(1), keys.begin(), b.begin());
    show("runs", keys, ends.first - keys.begin());
    show("how long", b, ends.second - b.begin());
    thrust::exclusive_scan_by_key(c.begin(), c.end(), thrust::constant_iterator<int>(1), b.begin());
    show("number in run", b);
    const Vector map = [] {
        const int places[] = {9, 0, 8, 1, 7, 2, 6, 3, 5, 4};
        return Vector(places, places + 10);
    }();
    thrust::gather(map.begin(), map.end(), in.begin(), b.begin());
    show("gather", b);
    thrust::scatter(in.begin(), in.end(), map.begin(), b.begin());
    show("scatter", b);
    thrust::replace_if(b.begin(), b.end(), IsEven(), -1);
    show("replace_if", b);
    thrust::reverse(b.begin(), b.end());
    show("reverse", b);
    thrust::tabulate(b.begin(), b.end(), Square());
    show("tabulate", b);
    thrust::fill(b.begin() + 5, b.end(), 3);
    show("fill", b);
    Vector both(20);
    thrust::sort(a.begin(), a.end());
    thrust::merge(a.begin(), a.end(), c.begin(), c.end(), both.begin());
    show("merge", both);
    show("intersection", both,
         thrust::set_intersection(a.begin(), a.end(), c.begin(), c.end(), both.begin()) - both.begin());
    show("difference", both,
         thrust::set_difference(a.begin(), a.end(), c.begin(), c.end(), both.begin()) - both.begin());
    std::cout << "equal: " << thrust::equal(in.begin(), in.end(), c.begin())
              << thrust::equal(in.begin(), in.end(), in.begin()) << "\n";
    // Iterators.
    const auto zipped = thrust::make_zip_iterator(thrust::make_tuple(in.begin(), map.begin()));
    thrust::transform(zipped, zipped + 10, b.begin(), SumOfPair());
    show("zip", b);
    thrust::for_each(thrust::make_zip_iterator(thrust::make_tuple(in.begin(), map.begin(), b.begin())),
                     thrust::make_zip_iterator(thrust::make_tuple(in.end(), map.end(), b.end())), PutSum());
    show("zip to", b);
    std::cout << "squares: "
              << thrust::reduce(thrust::make_transform_iterator(in.begin(), Square()),
                                thrust::make_transform_iterator(in.end(), Square()))
              << " "
              << thrust::reduce(thrust::make_permutation_iterator(in.begin(), map.begin()),
                                thrust::make_permutation_iterator(in.begin(), map.begin() + 3))
              << "\n";
    thrust::copy(thrust::make_reverse_iterator(in.end()), thrust::make_reverse_iterator(in.begin()), b.begin());
    show("reversed", b);
    thrust::copy(in.begin(), in.end(), thrust::make_transform_output_iterator(b.begin(), Square()));
    show("squared", b);
    using namespace thrust::placeholders;
    thrust::transform(in.begin(), in.end(), a.begin(), b.begin(), 2 * _1 - _2);
    show("placeholders", b);
    c = in; // pairs of one key in the order of their second
    thrust::sort(thrust::make_zip_iterator(thrust::make_tuple(c.begin(), keys.begin())),
                 thrust::make_zip_iterator(thrust::make_tuple(c.begin(), keys.begin())));
    c.insert(c.begin() + 1, 3, 77);
    c.erase(c.begin() + 5, c.begin() + 7);
    c.push_back(5);
    c.pop_back();
    c.resize(12, 4);
    show("vector", c);
    std::cout << "ends: " << c.front() << " " << c.back() << " " << c.size() << "\n";
}

__global__ void in_kernel(int* numbers, int count, int* to)
{
    thrust::sort(thrust::seq, numbers, numbers + count);
    to[0] = thrust::reduce(thrust::seq, numbers, numbers + count);
    to[1] = static_cast<int>(thrust::lower_bound(thrust::seq, numbers, numbers + count, 12) - numbers);
}

// What is of both sides: tuples and pairs, complex numbers, random numbers. The result is exact.
struct Quarter {
    __host__ __device__ thrust::complex<float> operator()(const thrust::complex<float>& value) const
    {
        return value * 0.25 + 1;
    }
};
__host__ __device__ void types(int seed, double* to)
{
    int quotient, rest;
    thrust::tie(quotient, rest) = thrust::make_tuple(17 / 5, 17 % 5);
    thrust::tuple<int, int> tuple(quotient, rest), other;
    other = tuple;
    thrust::pair<int, double> pair;
    pair = thrust::make_pair(rest, 0.5);
    thrust::swap(quotient, rest);
    to[0] = thrust::get<0>(other) * 10 + thrust::get<1>(other) + pair.second + pair.first * 100;
    to[1] = quotient * 10 + rest;
    thrust::complex<double> value(1, 2), power(3, 0);
    value *= thrust::complex<float>(0, 1);           // -2 + i
    value += 1;                                      // -1 + i
    value = value * value / power.real() * 6.0F - 2; // -2 - 4i
    to[2] = value.real();
    to[3] = value.imag();
    to[4] = thrust::norm(value);
    value = (4 * value) / thrust::complex<double>(0, 2); // -8 + 4i
    to[5] = value.real() + 100 * thrust::conj(value).imag();
    to[6] = thrust::abs(thrust::complex<double>(3, 4)) + (value == thrust::complex<double>(-8, 4)) + (value != 2.0);
    thrust::default_random_engine engine(seed), ahead(seed);
    for (int i = 0; i < 5; ++i)
        engine();
    ahead.discard(5);
    to[7] = engine == ahead ? static_cast<double>(engine()) : -1;
    thrust::uniform_int_distribution<int> dice(1, 6);
    thrust::uniform_real_distribution<double> unit(-1, 1);
    to[8] = dice(engine) * 10 + dice(engine);
    to[9] = unit(engine);
    thrust::minstd_rand0 old;
    old.discard(9999);
    to[10] = old() == 1043618065; // which the C++ standard says
}
__global__ void types_in_kernel(int seed, double* to)
{
    types(seed, to);
}

int main()
{
    algorithms<thrust::host_vector>("host");
    algorithms<thrust::device_vector>("device");

    // Policies, raw pointers, streams.
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    int *memory, *sum, host[10] = {5, 3, 8, 1, 9, 2, 7, 0, 6, 4};
    cudaMalloc(&memory, sizeof host);
    cudaMalloc(&sum, 2 * sizeof(int));
    cudaMemset(sum, 0, 2 * sizeof(int));
    cudaMemcpy(memory, host, sizeof host, cudaMemcpyHostToDevice);
    thrust::sort(thrust::device, memory, memory + 10, thrust::greater<int>());
    thrust::for_each(thrust::cuda::par.on(stream), memory, memory + 10, AddTo{sum});
    thrust::transform(thrust::cuda::par_nosync.on(stream), memory, memory + 10, memory, Square());
    cudaStreamSynchronize(stream);
    const thrust::device_ptr<int> first(memory);
    const int largest = first[0];
    std::cout << "device_ptr: " << largest << " " << *(first + 9) << " " << *thrust::device_pointer_cast(sum) << "\n";
    first[1] += 1000;
    first[2] = first[1];
    std::cout << "last of the greatest: " << thrust::max_element(first, first + 10) - first << "\n";
    in_kernel<<<1, 1>>>(memory, 10, sum);
    std::cout << "in a kernel: " << thrust::device_ptr<int>(sum)[0] << " " << thrust::device_ptr<int>(sum)[1] << "\n";
    thrust::sort(thrust::host, host, host + 10);
    std::cout << "host: " << host[0] << host[9] << "\n";
    thrust::host_vector<int> of_host(first, first + 10);
    show("copied", of_host);

    // On the device a sum is kept in what the operation returns, a scan in the type of the initial value.
    const thrust::device_vector<float> eighths(5, 0.125F);
    const thrust::device_vector<unsigned char> bytes(1000, 1);
    thrust::device_vector<float> places(5);
    thrust::device_vector<int> wide(1000);
    thrust::exclusive_scan(eighths.begin(), eighths.end(), places.begin(), 0);
    show("eighths", places);
    thrust::exclusive_scan(bytes.begin(), bytes.end(), wide.begin());
    std::cout << "bytes: " << wide.back() << "\n";
    std::cout << "halves: " << thrust::reduce(eighths.begin(), eighths.begin() + 4, 3, thrust::plus<float>()) << "\n";

    thrust::device_vector<double> of_types(11);
    thrust::host_vector<double> of_host_types(11);
    types_in_kernel<<<1, 1>>>(7, thrust::raw_pointer_cast(of_types.data()));
    types(7, of_host_types.data());
    show("types", of_types);
    std::cout << "as on the host: " << (of_host_types == of_types) << "\n";
    thrust::device_vector<thrust::complex<float>> waves(4, thrust::complex<float>(4, -8));
    thrust::transform(waves.begin(), waves.end(), waves.begin(), Quarter());
    std::cout << "complex: " << thrust::reduce(waves.begin(), waves.end()) << "\n";

    thrust::counting_iterator<int> one(1);
    std::cout << "counting: " << thrust::reduce(one, one + 100) << " "
              << thrust::reduce(thrust::device, one, one + 100, 0, thrust::plus<int>()) << " "
              << thrust::count_if(thrust::device, thrust::counting_iterator<int>(0),
                                  thrust::counting_iterator<int>(99), IsEven())
              << "\n";
    thrust::device_vector<int> keys(4, 7), values(4, 2), sums(1);
    thrust::reduce_by_key(keys.begin(), keys.end(), values.begin(), thrust::make_discard_iterator(), sums.begin());
    show("sums", sums);
    thrust::copy(values.begin(), values.end(), std::ostream_iterator<int>(std::cout, ","));
    std::cout << "\n";
    thrust::universal_vector<int> everywhere(10, 3);
    thrust::transform(everywhere.begin(), everywhere.end(), everywhere.begin(), Square());
    std::cout << "universal: " << everywhere[9] << "\n";
    const thrust::device_ptr<int> made = thrust::device_malloc<int>(4);
    thrust::fill_n(made, 4, 6);
    std::cout << "device_malloc: " << thrust::reduce(made, made + 4) << "\n";
    const thrust::device_ptr<void> untyped = thrust::device_malloc(4 * sizeof(int));
    const thrust::device_ptr<int> numbers(static_cast<int*>(untyped.get()));
    thrust::fill(numbers, numbers + 4, 3);
    std::cout << "of bytes: " << thrust::reduce(numbers, numbers + 4) << "\n";
    thrust::device_free(untyped);
    thrust::device_free(made);
    thrust::device_vector<int> other(keys), swapped{1, 2, 3};
    other.swap(swapped);
    std::cout << "swapped: " << other.size() << swapped.size() << (swapped == keys) << other[2] << "\n";
    other[0] = swapped[0];
    thrust::device_reference<int> left = other[0], right = other[1];
    swap(left, right);
    show("swapped elements", other);
    return cudaDeviceSynchronize() == cudaSuccess ? 0 : 1;
}
