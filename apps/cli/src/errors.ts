import { isIP } from 'node:net';
import {
  ActionFailedError,
  NoAnswerError,
  OutcomeUnknownError,
  ProblemError,
  TokenError,
  UndecodedResultError,
} from '@ledger-ops/client';

/** Exit codes of the program. */
export const exitCodes = {
  done: { code: 0, about: 'done' },
  failed: { code: 1, about: 'refused or failed: the last lines state the reason and the next step' },
  usage: { code: 2, about: 'the command line or the settings are wrong' },
  found: {
    code: 3,
    about:
      'completed with a negative result, for example: an action has FAILED, or a plugin or the installation is unhealthy',
  },
  signIn: { code: 4, about: 'not signed in, or the credentials were refused' },
  noAnswer: { code: 5, about: 'the service does not answer' },
  stopped: { code: 130, about: 'interrupted: accepted operations continue, and the last lines list them' },
} as const;

/** A failed command, with the reason and the next step. */
export class CliError extends Error {
  override readonly name = 'CliError';
  readonly end: keyof typeof exitCodes;
  /** The next step: a command line or an instruction. */
  readonly next: string | undefined;
  /** Members that `--json` adds to the output. */
  readonly data: Readonly<Record<string, unknown>>;
  constructor(
    end: keyof typeof exitCodes,
    message: string,
    next?: string,
    data: Readonly<Record<string, unknown>> = {},
  ) {
    super(message);
    this.end = end;
    this.next = next;
    this.data = data;
  }
}

/** Describes why a file cannot be read or written. */
export function whyNot(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
  const words: Readonly<Record<string, string>> = {
    ENOENT: 'there is no such file or folder',
    EEXIST: 'it already exists',
    EACCES: 'permission denied',
    EISDIR: 'it is a folder',
    ENOTDIR: 'a part of its path is not a folder',
    ENOSPC: 'the disk is full',
    EROFS: 'the disk is read-only',
  };
  return words[code] ?? code;
}

/** A failure, as printed: as text, or as JSON with `--json`. */
export interface FailureReport {
  readonly end: keyof typeof exitCodes;
  readonly lines: readonly string[];
  readonly next: string | undefined;
  /** Members of the JSON output in addition to the first line and the next step. */
  readonly data?: Readonly<Record<string, unknown>>;
}

/** A failure while an operation was in progress; adds how to continue with the operation. */
class ReportedError extends Error {
  override readonly name = 'ReportedError';
  readonly report: FailureReport;
  constructor(report: FailureReport, cause: unknown) {
    super(report.lines[0], { cause });
    this.report = report;
  }
}

/**
 * Adds the idempotency key to a failure of sending if it is unknown whether the service accepted the operation: with
 * the key, the user can send it again. Returns other failures unchanged.
 */
export function failedSending(error: unknown, { aborted }: AbortSignal, key: string): unknown {
  if (!aborted && !(error instanceof OutcomeUnknownError)) return error;
  const report = aborted ? interrupted : describeFailure(error);
  if (report === undefined) return error;
  const more =
    'It is unknown whether the operation was accepted. Send it again with the same key: it is executed only once.';
  return new ReportedError(
    {
      ...report,
      lines: [...report.lines, more],
      next: `the same command with --key ${key}`,
      data: { ...report.data, idempotencyKey: key },
    },
    error,
  );
}

/**
 * Adds the next step to a failed wait: how to follow the action, which continues. Returns a failure of the action itself
 * unchanged.
 */
export function failedWaiting(error: unknown, { aborted }: AbortSignal, actionId: string): unknown {
  const report = aborted ? interrupted : describeFailure(error);
  if (report === undefined || error instanceof ActionFailedError) return error;
  return new ReportedError(
    {
      ...report,
      lines: [...report.lines, `Stopped waiting for ${actionId}; it was accepted and continues.`],
      next: `ledger-ops action watch ${actionId}`,
      data: { ...report.data, actionId },
    },
    error,
  );
}

const interrupted: FailureReport = { end: 'stopped', lines: ['Interrupted.'], next: undefined };

/**
 * Describes an expected failure; undefined for a bug in the program.
 * @param list the command that lists records of the kind that the failed command reads
 */
export function describeFailure(error: unknown, list?: string): FailureReport | undefined {
  if (error instanceof ReportedError) return error.report;
  if (error instanceof CliError) {
    const { end, message, next, data } = error;
    return { end, lines: [message], next, data };
  }
  if (error instanceof TokenError) {
    const { message, reason, clientId } = error;
    return { end: 'signIn', lines: [message], next: signInNext(reason, clientId) };
  }
  if (error instanceof ActionFailedError) {
    const { actionId } = error.action;
    return {
      end: 'found',
      lines: [`FAILED: ${error.message}`],
      next: `ledger-ops action explain ${actionId}`,
      data: { actionId, type: error.problem?.type },
    };
  }
  if (error instanceof UndecodedResultError) {
    const { message, returned } = error;
    return { end: 'found', lines: [message, `It returned ${returned}`], next: undefined, data: { returned } };
  }
  if (error instanceof ProblemError) return describeProblem(error, list);
  if (error instanceof OutcomeUnknownError) return describeUnknownOutcome(error);
  if (error instanceof NoAnswerError) {
    if (error.code === 'ERR_SSL_WRONG_VERSION_NUMBER') {
      return {
        end: 'noAnswer',
        lines: [`${new URL(error.url).origin} does not speak TLS.`],
        next: 'the same command with http:// instead of https://, or with the URL of the proxy in front of the service',
      };
    }
    return {
      end: 'noAnswer',
      // The progress line shows only the first line.
      lines: [unanswered(error.code), error.message],
      next: '`ledger-ops profile list` shows the URL of the service; on its machine, `ledger-ops doctor` checks the service',
    };
  }
  return undefined;
}

/** Commands that send operations replace this next step, because their operations have a key. */
function describeUnknownOutcome({ cause, code, operation }: OutcomeUnknownError): FailureReport {
  const report: FailureReport = describeFailure(cause) ?? {
    end: 'noAnswer',
    lines: [unanswered(code)],
    next: undefined,
  };
  return {
    ...report,
    lines: [...report.lines, `${operation} may have been executed.`],
    next: 'use the list command for the record to find out whether it was executed; if not, run the same command again',
  };
}

function unanswered(code: string | undefined): string {
  return `The service does not answer${code === undefined ? '' : ` (${code})`}.`;
}

/** Advice for a credential that the token endpoint refused. */
function signInNext(reason: TokenError['reason'], clientId: string): string {
  switch (reason) {
    case 'application':
      return `ledger-ops login with --client-id and the current token of the application; to create one: ledger-ops token app ${clientId}`;
    case 'account':
      return 'ledger-ops login with a valid API token; to create one: ledger-ops token account <account>';
    case 'role':
      return 'ask an owner of the project to run: ledger-ops role grant <account> <role> <project>';
    case undefined:
      return 'ledger-ops login';
  }
}

/** Advice for a ledger whose nodes do not respond. */
const unreachableNext =
  'check that the node runs and that its URL is right (ledger-ops node list <ledger>), then run the same command again';

const nextOf: readonly (readonly [name: Parameters<ProblemError['is']>[0], next: string])[] = [
  ['not-permitted', 'ledger-ops role check <resource> <permissions…>, then ask for a role that has it'],
  ['wrong-wallet-password', 'the same command with another password'],
  [
    'wallets-mismatch',
    'the same command with --with <wallet>=<password file> for each wallet that meta names',
  ],
  [
    'possibly-executed',
    'ledger-ops wallet unknown <wallet>; then ledger-ops action executed <action> <transaction>, ledger-ops action cancel <action>, or ledger-ops resume --wallet <wallet> --release <action>',
  ],
  ['insufficient-funds', '`ledger-ops wallet show <wallet>` shows the balance of the wallet'],
  [
    'not-found',
    'use the list command for the record, such as ledger-ops ledger list, to see the ids that you can access. You need a role to see any.',
  ],
  ['unknown-method', 'ledger-ops contract methods <contract>'],
  ['already-exists', 'the same command with another id'],
  ['no-plugin', 'ledger-ops ledger technologies'],
  ['ledger-unavailable', unreachableNext],
  ['ledger-timeout', unreachableNext],
  ['application-token-invalid', 'ledger-ops login'],
  ['access-token-invalid', 'ledger-ops login'],
];

/** List commands by the JSON pointer of the invalid id. */
const listOf: readonly (readonly [place: RegExp, command: string])[] = [
  [/[/]role$/, 'ledger-ops role list'],
  [/[/]ledgerId$/, 'ledger-ops ledger list'],
  [/[/](?:walletId|recipient[/]resource)$/, 'ledger-ops wallet list'],
  [/[/]contract_instance[/]resource$/, 'ledger-ops contract list'],
  [/[/]contract_source[/]resource$/, 'ledger-ops template list'],
  [/[/]organizationId$/, 'ledger-ops org list'],
];

/** Advice for a node with a private address. The service does not reveal the address of a host name. */
function addressAdvice(message: string): string {
  const host = /(\S+) has a private address/.exec(message)?.[1]?.replaceAll(/^\[|\]$/g, '') ?? '';
  const isLocal = /^(?:.+\.)?localhost$/i.test(host);
  const address = isLocal ? '127.0.0.1,::1' : isIP(host) === 0 ? '<its address or network>' : host;
  return `use a public address, or add this one to the addresses that the server allows: OUTBOUND_OPEN=${address} ledger-ops serve (commas separate several)`;
}

/** Whether a change was refused because the record is archived. The service reports this as a missing role. */
const isOfArchive = (error: ProblemError) =>
  error.is('not-permitted') && /\bone above it is archived\b/.test(error.message);
const restoreNext =
  'find it with `ledger-ops org list --archived` or `ledger-ops project list --org <organization> --archived`, then restore it with `ledger-ops org restore` or `ledger-ops project restore`';

function describeProblem(error: ProblemError, listOfKind: string | undefined): FailureReport {
  const isSignIn = error.status === 401;
  const lines = [
    error.message,
    ...(error.requestId === undefined ? [] : [`${error.type}, request ${error.requestId}`]),
  ];
  const list =
    listOf.find(([place]) => error.issues.some(({ pointer }) => place.test(pointer)))?.[1] ?? listOfKind;
  const known =
    error.is('not-found') && list !== undefined
      ? `\`${list}\` shows the ids that you can access`
      : nextOf.find(([name]) => error.is(name))?.[1];
  const isArgument = error.issues.some(({ pointer }) => pointer.startsWith('/glo/options/args'));
  const advice = error.is('address-not-opened')
    ? addressAdvice(error.message)
    : isOfArchive(error)
      ? restoreNext
      : isArgument
        ? '`ledger-ops contract methods <contract>` shows the arguments of its methods'
        : undefined;
  const later =
    error.retryAfter === undefined ? undefined : `the same command in ${Math.ceil(error.retryAfter)} seconds`;
  const { type, status, requestId, issues } = error;
  const data = { ...error.data, type, status, requestId, errors: issues };
  return { end: isSignIn ? 'signIn' : 'failed', lines, next: advice ?? known ?? later, data };
}
