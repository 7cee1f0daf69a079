import { plainWords } from '@ledger-ops/adapter/words';

type Log = (level: 'info' | 'warn', event: string, fields: { plugin: string; detail: string }) => void;

/** Maximum output of one plugin per minute, so that a process that writes in a loop does not displace other output. */
const most = { lines: 200, characters: 65_536 };
const minute = 60_000;

/**
 * Logs lines that a plugin's process wrote to its standard output and error, one entry each, without known
 * secrets. Drops lines beyond the limit, and logs their number at the end of the minute.
 */
export function createOutputLog(
  plugin: string,
  {
    log,
    redact,
    now = performance.now.bind(performance),
  }: { log: Log; redact(text: string): string; now?: () => number },
): { take(line: string): void; close(): void } {
  let since = Number.NEGATIVE_INFINITY;
  let lines = 0;
  let characters = 0;
  let left = 0;
  let timer: NodeJS.Timeout | undefined;

  function tellLeft(): void {
    clearTimeout(timer);
    timer = undefined;
    if (left === 0) return;
    const detail = `${left} more lines of its output in that minute were omitted`;
    left = 0;
    log('warn', 'plugin.output', { plugin, detail });
  }

  return {
    take(line) {
      if (now() - since >= minute) {
        tellLeft();
        since = now();
        lines = 0;
        characters = 0;
      }
      const detail = plainWords(redact(line));
      lines += 1;
      characters += detail.length;
      if (lines > most.lines || characters > most.characters) {
        left += 1;
        timer ??= setTimeout(tellLeft, minute - (now() - since)).unref();
      } else {
        log('info', 'plugin.output', { plugin, detail });
      }
    },
    close: tellLeft,
  };
}
