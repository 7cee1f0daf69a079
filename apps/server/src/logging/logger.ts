import { plainWords, wordLimits } from '@ledger-ops/adapter/words';
import type { AdminLogger, AuthLogger } from '@ledger-ops/auth';
import type { Log } from '@ledger-ops/runtime';
import type { StoreLogger } from '@ledger-ops/store';
import { type DestinationStream, type Logger, pino } from 'pino';
import type { AccessLog } from '../http/access-log.ts';
import type { ServerConfig } from '../settings/config.ts';
import { createLogOutput, surviveDeadOutputs, unblocked } from './log-output.ts';

/** The server's log, as each floor wants it. */
export interface ServerLog {
  readonly log: Log;
  readonly accessLog: AccessLog;
  readonly storeLogger: StoreLogger;
  readonly authLogger: AuthLogger & AdminLogger;
}

/** Fields that may stand in a line. Whatever else is handed over is left out. */
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
  'detail',
  'epoch',
  'error',
  'failed',
  'failure',
  'genesis',
  'height',
  'host',
  'kid',
  'lane',
  'ledgerId',
  'level',
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
 * Makes the log: JSON lines on standard output (or `stream`), with fields from an allow-list. Standard output is
 * written within a second, and at the end of the process; when it takes nothing, lines are lost and nothing else.
 * No line holds a body, a URL with values, or a secret.
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
        logger.error({ count, detail: `${count} lines were not written` }, 'log.lost'),
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

/** Opened with its first line. */
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

function pick(fields: Record<string, unknown> = {}): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => allowedFields.has(name)));
}

/** Members that have no name in the log are told together, as JSON: a plugin says what it likes. */
function pickOfPlugin(fields: Record<string, unknown> = {}): Record<string, unknown> {
  const more = Object.entries(fields).filter(([name]) => !allowedFields.has(name));
  if (more.length === 0) return pick(fields);
  return { ...pick(fields), said: plainWords(JSON.stringify(Object.fromEntries(more)), wordLimits.detail) };
}

/** An unexpected failure for people who run the server: name, message and where, without its properties. */
function describe(error: unknown): string {
  if (!(error instanceof Error)) return typeof error;
  const cause = error.cause === undefined ? '' : `\ncaused by ${describe(error.cause)}`;
  return `${error.stack ?? `${error.name}: ${error.message}`}${cause}`;
}
