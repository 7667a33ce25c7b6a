// Opens traces with the importer of chrome://tracing (npm package traceviewer, whose folder is the first argument)
// and compares the imported data with the content of the file. Exits with 1 if anything differs, or if the importer
// warns.
'use strict';

const fs = require('fs');
const path = require('path');

const [viewer, ...files] = process.argv.slice(2);
require(path.join(viewer, 'catapult_build', 'node_bootstrap.js'));
const sources = ['.', 'third_party/gl-matrix/dist', 'third_party/jszip', 'third_party/d3', 'third_party/chai', 'third_party/mocha'];
HTMLImportsLoader.addArrayToSourcePath(sources.map((source) => path.join(viewer, 'tracing', source)).filter(fs.existsSync));
for (const file of ['importer/import', 'model/model', 'extras/importer/trace_event_importer'])
  HTMLImportsLoader.loadHTML(`/tracing/${file}.html`);

let bad = 0;
for (const file of files) {
  const text = fs.readFileSync(file, 'utf8');
  const events = JSON.parse(text).traceEvents;
  const model = new tr.Model();
  const said = console.warn;
  console.warn = () => {};
  new tr.importer.Import(model).importTraces([text]);
  console.warn = said;

  // The importer learns the timer's resolution only from Chrome's own metadata.
  const warnings = model.importWarnings.filter((warning) => warning.type !== 'low_resolution_timer');
  const threads = model.getAllThreads();
  let slices = 0;
  let overlapping = 0;
  for (const thread of threads) {
    const sorted = thread.sliceGroup.slices.slice().sort((a, b) => a.start - b.start || b.end - a.end);
    slices += sorted.length;
    for (let index = 1; index < sorted.length; ++index)
      overlapping += sorted[index].start < sorted[index - 1].end - 1e-9;
  }
  const count = (kind) => events.filter((event) => event.ph === kind).length;
  const bound = model.flowEvents.filter((flow) => flow.startSlice && flow.endSlice && flow.endSlice.title !== 'wait' &&
                                                  flow.startSlice.title !== 'wait').length;
  const good = warnings.length === 0 && slices === count('X') && overlapping === 0 &&
      model.flowEvents.length === count('s') && bound === count('s');
  bad += !good;
  console.log(`${file}: ${good ? 'ok' : 'BAD'}: ${model.getAllProcesses().length} depths, ${threads.length} lanes, ` +
              `${slices} slices of ${count('X')}, ${overlapping} overlap, ${bound} arrows of ${count('s')} from run to run, ` +
              `${warnings.length} warnings`);
  for (const warning of warnings)
    console.log(`  ${warning.type}: ${warning.message}`);
}
process.exit(bad ? 1 : 0);
