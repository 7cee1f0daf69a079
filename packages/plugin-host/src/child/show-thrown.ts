import { inspect } from 'node:util';

/** Texts that are remembered: what a ledger's client throws at each look at a node is written once. */
const most = 100;

/** Writes what was thrown to standard error: its words, stack and causes. */
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
