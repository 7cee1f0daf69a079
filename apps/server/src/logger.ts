import type { AdminLogger, AuthLogger } from '@ledger-ops/auth';
import type { Log } from '@ledger-ops/runtime';
import type { StoreLogger } from '@ledger-ops/store';
import { type DestinationStream, destination, type Logger, pino } from 'pino';
import type { ServerConfig } from './config.ts';
import type { AccessLog } from './http/access-log.ts';

/** The server's log, as each floor wants it. */
export interface ServerLog {
  readonly log: Log;
  readonly accessLog: AccessLog;
  readonly storeLogger: StoreLogger;
  readonly authLogger: AuthLogger & AdminLogger;
  /** Writes out what is buffered. */
  flush(): void;
}

/** Fields that may stand in a line. Whatever else is handed over is left out. */
const allowedFields = new Set([
  'actionId',
  'actions',
  'address',
  'appId',
  'attempts',
  'block',
  'blocks',
  'chain',
  'chaincode',
  'channel',
  'code',
  'codes',
  'count',
  'detail',
  'epoch',
  'error',
  'height',
  'host',
  'lane',
  'kid',
  'ledgerId',
  'level',
  'mail',
  'method',
  'ms',
  'node',
  'nodeId',
  'nodes',
  'owner',
  'phase',
  'pid',
  'plugin',
  'pluginId',
  'port',
  'problem',
  'reason',
  'requestId',
  'route',
  'shard',
  'signal',
  'stage',
  'status',
  'txId',
  'url',
  'version',
  'walletId',
  'why',
]);

/** Written in larger pieces, none later than after a second: who watches a quiet server sees what it warns of. */
const standardOutput = { dest: 1, minLength: 8_192, sync: true, periodicFlush: 1_000 };

/**
 * Makes the log: JSON lines on standard output (or `stream`), buffered, with fields from an allow-list.
 * No line holds a body, a URL with values, or a secret.
 */
export function createLog(level: ServerConfig['logLevel'], stream?: DestinationStream): ServerLog {
  const buffered = stream === undefined ? destination(standardOutput) : undefined;
  const target = stream ?? buffered;
  const options = {
    level,
    base: { pid: process.pid },
    timestamp: () => `,"time":"${new Date().toISOString()}"`,
    formatters: { level: (label: string) => ({ level: label }) },
  };
  const logger: Logger = target === undefined ? pino(options) : pino(options, target);
  const log: Log = (lineLevel, event, fields) => {
    logger[lineLevel](pick(fields), event);
  };
  return {
    log,
    accessLog: ({ requestId, method, route, status, ms, appId, problem, error }) => {
      const line = { requestId, method, route, status, ms: Math.round(ms * 1000) / 1000, appId, problem };
      if (status < 500) logger.info(line, 'request');
      else logger.error(error === undefined ? line : { ...line, error: describe(error) }, 'request');
    },
    storeLogger: {
      warn: (fields, message) => logger.warn(pick(fields), message),
      error: (fields, message) => logger.error(pick(fields), message),
    },
    authLogger: {
      info: (fields, message) => logger.info(pick(fields), message),
      error: (fields, message) => logger.error(pick(fields), message),
    },
    flush: () => buffered?.flushSync(),
  };
}

function pick(fields: Record<string, unknown> = {}): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => allowedFields.has(name)));
}

/** An unexpected failure for people who run the server: name, message and where, without its properties. */
function describe(error: unknown): string {
  if (!(error instanceof Error)) return typeof error;
  const cause = error.cause === undefined ? '' : `\ncaused by ${describe(error.cause)}`;
  return `${error.stack ?? `${error.name}: ${error.message}`}${cause}`;
}
