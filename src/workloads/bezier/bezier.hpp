// What a strategy of the workload `bezier` includes: the job, and the points of a line.
//
// Each line is a quadratic Bezier curve with three control points. Its points lie at equal steps of the parameter; there
// are more of them the more the line is curved: 16 per unit of curvature, at least 4 and at most `max_points`.
// Source: NVIDIA cuda-samples, cdpBezierTessellation; KLAP, MICRO 2016, benchmark BT.
#pragma once

#include "device/parts/request_workload.hpp"
#include "workloads/bezier/descriptor.hpp"

#include <array>
#include <cmath>

#ifndef NESTBED_FLAT // baseline/ is compiled without it
#include "device/parts/launch_requests.hpp"
#endif

namespace nestbed::inline NESTBED_BACKEND
{

// Aligned so that one instruction reads or writes a point, and two a line.
struct alignas(8) BezierPoint {
    float x, y;
};

struct alignas(16) BezierLine {
    BezierPoint control[3];
    unsigned first; // where its points begin in the output
};

inline constexpr unsigned kMinBezierPoints = 4;
inline constexpr float kBezierPointsPerCurvature = 16;

// All roundings are fixed, so that device and host agree bit by bit.
__host__ __device__ inline float bezier_length(float x, float y)
{
    return sqrtf(fmaf(x, x, y * y));
}

// Points of the line: by the distance of the middle control point from the middle of the ends, over the distance of the
// ends.
__host__ __device__ inline unsigned bezier_points(const BezierLine& line, unsigned most)
{
    const BezierPoint* p = line.control;
    const float curvature =
        bezier_length(fmaf(-0.5F, p[0].x + p[2].x, p[1].x), fmaf(-0.5F, p[0].y + p[2].y, p[1].y)) /
        bezier_length(p[2].x - p[0].x, p[2].y - p[0].y);
    const auto points = static_cast<unsigned>(curvature * kBezierPointsPerCurvature);
    return points < kMinBezierPoints ? kMinBezierPoints : points > most ? most : points;
}

__host__ __device__ inline float bezier_at(float a, float b, float c, float u)
{
    const float v = 1 - u;
    return fmaf(v * v, a, fmaf(2 * u * v, b, u * u * c));
}

// Point `index` of `points` points.
__host__ __device__ inline BezierPoint bezier_point(const BezierLine& line, unsigned index, unsigned points)
{
    const float u = static_cast<float>(index) / static_cast<float>(points - 1);
    const BezierPoint* p = line.control;
    return {bezier_at(p[0].x, p[1].x, p[2].x, u), bezier_at(p[0].y, p[1].y, p[2].y, u)};
}

struct BezierTask {
    const BezierLine* lines;
    BezierPoint* out; // `points` in all, filled with 0xFF bytes before every run
    unsigned line_count;
    unsigned point_count;
    unsigned max_points;
};

struct BezierJob : RequestJob {
    BezierTask task;
};

// A strategy has the members that Register requires.
struct BezierTraits {
    using Job = BezierJob;
    using Facts = NoFacts;
    static constexpr std::array kWorkloads{&workloads::bezier};
};

} // namespace nestbed::inline NESTBED_BACKEND
