import type { ServerLog } from '@ledger-ops/server';

/** Events of plugins that a person at a terminal is told otherwise, or need not know. */
const leftOut = new Set([
  ...['plugin.loaded', 'plugin.refused', 'plugin.broken'],
  ...['plugin.restart', 'plugin.restricted', 'plugin.closed'],
]);

/** The log, but for what plugins print and what is wrong with them: that is shown, for people. */
export function withPluginLines(log: ServerLog, show: (line: string) => void): ServerLog {
  return {
    ...log,
    log(level, event, fields = {}) {
      if (!event.startsWith('plugin.')) log.log(level, event, fields);
      else if (!leftOut.has(event)) show(`  plugin | ${textOf(event, fields)}`);
    },
  };
}

function textOf(event: string, fields: Record<string, unknown>): string {
  const said = ['method', 'error', 'detail'].flatMap((name) => fields[name] ?? []);
  return (event === 'plugin.output' ? said : [event.slice('plugin.'.length), ...said]).join(': ');
}
