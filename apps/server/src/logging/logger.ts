import { plainWords, wordLimits } from '@ledger-ops/adapter/words';
import type { AdminLogger, AuthLogger } from '@ledger-ops/auth';
import { withoutMisleading } from '@ledger-ops/base';
import type { Log } from '@ledger-ops/runtime';
import { StoreError, type StoreLogger } from '@ledger-ops/store';
import { type DestinationStream, type Logger, pino } from 'pino';
import type { AccessLog } from '../http/access-log.ts';
import type { ServerConfig } from '../settings/config.ts';
import { createLogOutput, surviveDeadOutputs, unblocked } from './log-output.ts';

/** The server's log, as the logger interface of each package. */
export interface ServerLog {
  readonly log: Log;
  readonly accessLog: AccessLog;
  readonly storeLogger: StoreLogger;
  readonly authLogger: AuthLogger & AdminLogger;
}

/** Fields that a log line may contain; all others are dropped. */
const allowedFields = new Set([
  'actionId',
  'actions',
  'address',
  'appId',
  'assignment',
  'attempts',
  'block',
  'blocks',
  'chain',
  'chaincode',
  'channel',
  'code',
  'codes',
  'count',
  'dataDir',
  'database',
  'detail',
  'epoch',
  'error',
  'failed',
  'failure',
  'genesis',
  'height',
  'host',
  'installationId',
  'kid',
  'lane',
  'ledgerId',
  'level',
  'link',
  'mail',
  'method',
  'metricsUrl',
  'ms',
  'next',
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
  'projectId',
  'reason',
  'requestId',
  'route',
  'said',
  'shard',
  'signal',
  'spans',
  'stage',
  'status',
  'subscriptionId',
  'txId',
  'url',
  'version',
  'walletId',
  'webhookId',
  'why',
]);

/**
 * Creates the log: JSON lines on standard output (or `stream`), with fields from an allow-list. Lines are written within
 * a second, and before the process exits. If standard output is blocked, lines are dropped rather than awaited. No line
 * contains a body, a URL with values, or a secret, except for the links in mails, if no mail server is configured.
 */
export function createLog(level: ServerConfig['logLevel'], stream?: DestinationStream): ServerLog {
  const options = {
    level,
    base: { pid: process.pid },
    timestamp: () => `,"time":"${new Date().toISOString()}"`,
    formatters: { level: (label: string) => ({ level: label }) },
  };
  const logger: Logger = pino(
    options,
    stream ??
      standardOutput((count) =>
        logger.error({ count, detail: `${count} log lines were dropped` }, 'log.lost'),
      ),
  );
  const log: Log = (lineLevel, event, fields) => {
    logger[lineLevel](event.startsWith('plugin.') ? pickOfPlugin(fields) : pick(fields), event);
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
  };
}

/** Standard output, opened when the first line is written. */
function standardOutput(onLost: (lines: number) => void): DestinationStream {
  let output: DestinationStream | undefined;
  return {
    write(line) {
      if (output === undefined) {
        surviveDeadOutputs();
        output = createLogOutput(unblocked(1), onLost);
      }
      output.write(line);
    },
  };
}

/**
 * Selects the allowed fields, and removes control characters, because strings may come from nodes and
 * plugins.
 */
function pick(fields: Record<string, unknown> = {}): Record<string, unknown> {
  const allowed = Object.entries(fields).filter(([name]) => allowedFields.has(name));
  return Object.fromEntries(
    allowed.map(([name, value]) => [name, typeof value === 'string' ? withoutMisleading(value) : value]),
  );
}

/**
 * Plugins choose their own field names. Fields that are not on the list are combined into the field `said`, as JSON.
 */
function pickOfPlugin(fields: Record<string, unknown> = {}): Record<string, unknown> {
  const more = Object.entries(fields).filter(([name]) => !allowedFields.has(name));
  if (more.length === 0) return pick(fields);
  return { ...pick(fields), said: plainWords(JSON.stringify(Object.fromEntries(more)), wordLimits.detail) };
}

/** Describes an unexpected error for deployers: name, message and stack, without its properties. */
function describe(error: unknown): string {
  if (!(error instanceof Error)) return typeof error;
  // While the database is unreachable, each request logs such an error.
  if (error instanceof StoreError && error.code === 'unavailable') return error.message;
  const cause = error.cause === undefined ? '' : `\ncaused by ${describe(error.cause)}`;
  return `${error.stack ?? `${error.name}: ${error.message}`}${cause}`;
}
