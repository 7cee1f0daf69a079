import { ActionFailedError, ProblemError, TokenError } from '@ledger-ops/client';

/** How the program ends, and when. */
export const exitCodes = {
  done: { code: 0, about: 'done' },
  failed: { code: 1, about: 'refused, or failed: the last lines say why, and what to try' },
  usage: { code: 2, about: 'the command line or the settings are wrong' },
  found: {
    code: 3,
    about: 'done, and the answer is no: an action has FAILED, a plugin or an installation is not well',
  },
  signIn: { code: 4, about: 'nobody is signed in, or the credentials are not taken' },
  noAnswer: { code: 5, about: 'the service does not answer' },
  stopped: { code: 130, about: 'interrupted: what was accepted goes on, and the last lines name it' },
} as const;

/** A command cannot go on; says why, and what to try next. */
export class CliError extends Error {
  override readonly name = 'CliError';
  readonly end: keyof typeof exitCodes;
  /** A command line, or an instruction. */
  readonly next: string | undefined;
  /** For programs. */
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

/** Why a file is not read or written, for people. */
export function whyNot(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
  const words: Readonly<Record<string, string>> = {
    ENOENT: 'there is no such file or folder',
    EEXIST: 'it is there already',
    EACCES: 'this user may not',
    EISDIR: 'it is a folder',
    ENOTDIR: 'a part of its path is no folder',
    ENOSPC: 'the disk is full',
    EROFS: 'the disk can only be read',
  };
  return words[code] ?? code;
}

/** A failure, as a person is told it. */
export interface Told {
  readonly end: keyof typeof exitCodes;
  readonly lines: readonly string[];
  readonly next: string | undefined;
  /** For programs, beside the first line and what to try next. */
  readonly data?: Readonly<Record<string, unknown>>;
}

/** A failure with what its own error does not know: what became of an operation that was under way. */
class ToldError extends Error {
  override readonly name = 'ToldError';
  readonly told: Told;
  constructor(told: Told, cause: unknown) {
    super(told.lines[0], { cause });
    this.told = told;
  }
}

/** Nobody knows whether an operation was accepted: with its key it can be sent again. Other failures stay as they are. */
export function failedSending(error: unknown, { aborted }: AbortSignal, key: string): unknown {
  const told = aborted ? interrupted : tellFailure(error);
  if (told === undefined) return error;
  // 503 is a refusal; the others come from whoever lost the answer too.
  const isLost = error instanceof ProblemError && error.status >= 500 && error.status !== 503;
  if (!aborted && told.end !== 'noAnswer' && !isLost) return error;
  const more = 'It is not known whether the operation was accepted; sent again with its key it happens once.';
  return new ToldError(
    {
      ...told,
      lines: [...told.lines, more],
      next: `the same with --key ${key}`,
      data: { ...told.data, idempotencyKey: key },
    },
    error,
  );
}

/** The action goes on, whoever waits for it. Its own failure stays as it is. */
export function failedWaiting(error: unknown, { aborted }: AbortSignal, actionId: string): unknown {
  const told = aborted ? interrupted : tellFailure(error);
  if (told === undefined || error instanceof ActionFailedError) return error;
  return new ToldError(
    {
      ...told,
      lines: [...told.lines, `Nobody waits for ${actionId} any more; it was accepted, and goes on.`],
      next: `ledger-ops action watch ${actionId}`,
      data: { ...told.data, actionId },
    },
    error,
  );
}

const interrupted: Told = { end: 'stopped', lines: ['Interrupted.'], next: undefined };

/** Undefined for a fault of the program itself. */
export function tellFailure(error: unknown): Told | undefined {
  if (error instanceof ToldError) return error.told;
  if (error instanceof CliError) {
    const { end, message, next, data } = error;
    return { end, lines: [message], next, data };
  }
  if (error instanceof TokenError) {
    return { end: 'signIn', lines: [error.message], next: 'ledger-ops login' };
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
  if (error instanceof ProblemError) return tellProblem(error);
  // Of fetch: no answer came, or not all of it.
  if (error instanceof TypeError && ['fetch failed', 'terminated'].includes(error.message)) {
    const { cause } = error;
    const why = cause instanceof Error && 'code' in cause ? ` (${String(cause.code)})` : '';
    if (why.includes('ERR_SSL_WRONG_VERSION_NUMBER')) {
      return {
        end: 'noAnswer',
        lines: ['What answers there speaks no TLS.'],
        next: 'the same with http:// in the place of https://, or with the address of the proxy before it',
      };
    }
    return {
      end: 'noAnswer',
      lines: [`The service does not answer${why}.`],
      next: 'ledger-ops profile list shows its URL; on its machine, ledger-ops doctor says what is missing',
    };
  }
  if (error instanceof DOMException && error.name === 'TimeoutError') {
    return { end: 'noAnswer', lines: ['The service did not answer in time.'], next: undefined };
  }
  return undefined;
}

const nextOf: readonly (readonly [name: Parameters<ProblemError['is']>[0], next: string])[] = [
  ['not-permitted', 'ledger-ops role check <resource> <permissions…>, then ask for a role that has it'],
  ['wrong-wallet-password', 'the same with another password'],
  ['wallets-mismatch', 'the same with --with <wallet>=<password file> for each wallet that meta names'],
  ['insufficient-funds', 'ledger-ops wallet show <wallet>'],
  [
    'not-found',
    'the same with list in the place of show says what there is; without a role nothing is visible',
  ],
  ['application-token-invalid', 'ledger-ops login'],
  ['access-token-invalid', 'ledger-ops login'],
  [
    'address-not-opened',
    'an address that is public, or that the server’s setting OUTBOUND_OPEN opens: OUTBOUND_OPEN=127.0.0.1 ledger-ops serve',
  ],
];

/** Where there is what a pointer's place names. */
const listOf: readonly (readonly [place: RegExp, command: string])[] = [
  [/[/]role$/, 'ledger-ops role list'],
  [/[/]ledgerId$/, 'ledger-ops ledger list'],
  [/[/](?:walletId|recipient[/]resource)$/, 'ledger-ops wallet list'],
  [/[/]contract_instance[/]resource$/, 'ledger-ops contract list'],
  [/[/]contract_source[/]resource$/, 'ledger-ops template list'],
];

function tellProblem(error: ProblemError): Told {
  const isSignIn = error.status === 401;
  const lines = [
    error.message,
    ...(error.requestId === undefined ? [] : [`${error.type}, request ${error.requestId}`]),
  ];
  const list = listOf.find(([place]) => error.issues.some(({ pointer }) => place.test(pointer)))?.[1];
  const known =
    error.is('not-found') && list !== undefined
      ? `${list} shows those that you may see`
      : nextOf.find(([name]) => error.is(name))?.[1];
  const later =
    error.retryAfter === undefined ? undefined : `the same in ${Math.ceil(error.retryAfter)} seconds`;
  const { type, status, requestId, issues } = error;
  const data = { type, status, requestId, errors: issues };
  return { end: isSignIn ? 'signIn' : 'failed', lines, next: known ?? later, data };
}
