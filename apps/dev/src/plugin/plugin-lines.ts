import type { ServerLog } from '@ledger-ops/server';

/** Log events about the plugin that a terminal shows differently, or not at all. */
const hidden = new Set([
  ...['plugin.loaded', 'plugin.refused', 'plugin.broken'],
  ...['plugin.restart', 'plugin.restricted', 'plugin.closed'],
]);

/** Returns the server's log, except that output and faults of the plugin are printed as plain lines. */
export function withPluginLines(log: ServerLog, show: (line: string) => void): ServerLog {
  return {
    ...log,
    log(level, event, fields = {}) {
      if (!event.startsWith('plugin.')) log.log(level, event, fields);
      else if (!hidden.has(event)) show(`  plugin | ${textOf(event, fields)}`);
    },
  };
}

function textOf(event: string, fields: Record<string, unknown>): string {
  const said = ['method', 'error', 'detail'].flatMap((name) => fields[name] ?? []);
  return (event === 'plugin.output' ? said : [event.slice('plugin.'.length), ...said]).join(': ');
}
