/** How long a test file took, in seconds. */
export interface FileDuration {
  /** Path from the root. */
  readonly file: string;
  readonly seconds: number;
  /** Of `seconds`: before the first test. */
  readonly importing: number;
  /** Processor time of its own process. */
  readonly own: number;
  /** Processor time of processes that it started and waited for. */
  readonly children: number;
  readonly tests: number;
}

/** Prints the slowest files: what takes long without the processor waits. */
export function printSlowest(files: readonly FileDuration[], count = 20): void {
  const sum = (read: (file: FileDuration) => number) => files.reduce((all, file) => all + read(file), 0);
  const line = (...cells: (string | number)[]) =>
    console.log(
      cells
        .map((cell, at) => (typeof cell === 'number' ? cell.toFixed(1) : cell).padStart(at === 5 ? 0 : 10))
        .join('  '),
    );
  console.log(`\nThe ${count} slowest of ${files.length} test files, in seconds:`);
  line('wall', 'importing', 'processor', 'children', 'tests', 'file');
  const slowest = files.toSorted((a, b) => b.seconds - a.seconds).slice(0, count);
  for (const one of slowest)
    line(one.seconds, one.importing, one.own, one.children, String(one.tests), one.file);
  line(
    sum((one) => one.seconds),
    sum((one) => one.importing),
    sum((one) => one.own),
    sum((one) => one.children),
    String(sum((one) => one.tests)),
    'all',
  );
}
