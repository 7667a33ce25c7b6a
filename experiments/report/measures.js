'use strict';
// What figures are drawn against, and what they measure: axes and measures of a case.

const number = (value) => (value === '' || value === null ? null : Number.isNaN(Number(value)) ? value : Number(value));

// An axis: `of` gives a number, a word that has a place of its own beside the numbers (`words`: before or after them), or null;
// `bound` are the fields that go with it, so that they tell no series apart.
const axes = {
  depth: {
    name: 'depth',
    title: 'Depth: levels below the first',
    of: (found) => number(found.depth),
    bound: ['depth'],
    words: {full: 'after'}
  },
  length: {
    name: 'length',
    title: 'Length of the chain, levels',
    of: (found) => number(found.depth),
    bound: ['depth'],
    words: {}
  },
  grid: {name: 'grid', title: 'Grid: root blocks', of: (found) => found.grid, bound: ['grid', 'elements'], words: {}},
  children: {name: 'launches', title: 'Launches', of: (found) => found.grid, bound: ['grid'], words: {}},
  delay: {
    name: 'delay',
    title: 'Delay of what loses the race, µs',
    of: (found) => found.delay_us,
    bound: ['delay_us'],
    words: {}
  },
  limit: {
    name: 'pending limit',
    title: 'Pending-launch limit',
    of: (found) => number(found.pending_limit_asked),
    bound: ['pending_limit_asked'],
    words: {auto: 'before'}
  },
  elements: {
    name: 'elements',
    title: 'Elements',
    of: (found) => found.elements,
    bound: ['elements', 'grid', 'nx', 'ny'],
    words: {},
    text: power
  },
};

const timeOver = (parts) => (found) =>
    found.us === null ? null : {y: found.us / parts(found), low: found.low / parts(found), high: found.high / parts(found)};
const spanOf = ([y, low, high]) => ({y, low, high});
const percent = (value) => `${three(value)}\u202f%`;

// A measure of a case: {y, low, high} (low and high null where there is no interval) or null where it has none.
const measures = {
  time: {name: 'time', title: 'Time, µs', of: timeOver(() => 1), text: duration},
  level: {name: 'time a level', title: 'Time a level, µs', of: timeOver((found) => Number(found.depth)), text: duration},
  child: {name: 'time a launch', title: 'Time a launch, µs', of: timeOver((found) => found.grid), text: duration},
  launches: {name: 'device launches', title: 'Device launches', text: (value) => grouped(Math.round(value)), zero: true,
             of: (found) => (found.launches === null ? null : {y: found.launches, low: null, high: null})},
  wrong: {name: 'wrong answers', title: 'Runs with a wrong answer, %', text: percent, linear: true,
          of: (found) => found.wrong && spanOf(found.wrong.map((part) => 100 * part))},
  lost: {name: 'launches lost', title: 'Launches lost, %', text: percent, linear: true,
         of: (found) => (found.lost === null ? null : {y: 100 * found.lost, low: null, high: null})},
  memory: {name: 'memory', title: 'Memory over the default limit’s, MB', text: (value) => `${three(value)}\u202fMB`,
           of: (found) => (found.limit_bytes === null ? null : {y: found.limit_bytes / 1e6, low: null, high: null})},
  ratio: {name: 'ratio to CUB', title: 'Time over CUB’s', text: (value) => `${three(value)} ×`,
          of: (found) => found.to_cub && spanOf(found.to_cub)},
  bandwidth: {name: 'bandwidth', title: 'Bandwidth, GB/s', text: (value) => `${grouped(Number(three(value)))}\u202fGB/s`,
              of: (found) => found.bandwidth_gb_s && found.us && {
                y: found.bandwidth_gb_s, low: found.bandwidth_gb_s * found.us / found.high,
                high: found.bandwidth_gb_s * found.us / found.low}},
};

const emptyGrids = (found) => ['chain', 'fanout'].includes(found.strategy);
// Of a fixed limit the subject is one wave: others are tuned to what they meet.
const oneWave = (found) => found.pending_limit_asked === 'auto' || (found.wave >= found.grid && found.streams === 1);
