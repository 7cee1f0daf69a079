/** Duration of a test file in seconds. */
export interface FileDuration {
  /** Path from the root. */
  readonly file: string;
  readonly seconds: number;
  /** Part of `seconds` before the first test. */
  readonly importing: number;
  /** Processor time of its own process. */
  readonly own: number;
  /** Processor time of child processes that it waited for. */
  readonly children: number;
  readonly tests: number;
}

/** Prints the slowest files. A file that takes long but uses little processor time is waiting. */
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
