import { inspect } from 'node:util';

/** Maximum number of remembered messages. An error that repeats at every poll is written once. */
const most = 100;

/** Writes a thrown value to standard error: message, stack and causes. */
export function createShow(): (thrown: unknown) => void {
  const shown = new Set<string>();
  return (thrown) => {
    const text = inspect(thrown, { customInspect: false });
    if (shown.has(text)) return;
    if (shown.size >= most) shown.clear();
    shown.add(text);
    process.stderr.write(`${text}\n`);
  };
}
