import type { AdapterProblem, Json, JsonObject, Phase } from '@ledger-ops/adapter';
import { loggedError, namedError, type ProgramErrors } from '../idl/program-errors.ts';

/** An error of a transaction in the nodes' form, with its context. */
export interface Failure {
  err: unknown;
  logs: readonly string[] | null;
  /** The accounts of the transaction in order, if known. */
  accounts?: readonly string[];
  /** The signing accounts, if known. The user can send missing lamports to them. */
  payers?: ReadonlySet<string>;
}

/** Temporary errors: the same transaction may execute later. */
const passing = new Set([
  'BlockhashNotFound',
  'AccountInUse',
  'ClusterMaintenance',
  'TooManyAccountLocks',
  'WouldExceedMaxBlockCostLimit',
  'WouldExceedMaxAccountCostLimit',
  'WouldExceedAccountDataBlockLimit',
]);

/** Maximum number of log lines, and characters of each, in a problem. */
const mostLines = 40;
const longestLine = 300;

/** Describes for the host why a transaction failed, or would fail. */
export function problemOf(
  failure: Failure,
  errors: ProgramErrors | undefined,
  phase: Phase,
  txId?: string,
): AdapterProblem {
  const logs = (failure.logs ?? []).slice(-mostLines).map((line) => line.slice(0, longestLine));
  const custom = customErrorOf(failure, errors);
  const { code, detail } = explain(failure, logs, custom, phase === 'confirm' || phase === 'lookup');
  return {
    ...{ code, detail, phase },
    ...(txId === undefined ? {} : { txId }),
    data: {
      ...{ error: toJson(failure.err), logs },
      ...(custom === undefined ? {} : { customError: custom }),
    },
  };
}

/** Returns the program's own error, if its IDL or log names it. */
function customErrorOf({ err, logs }: Failure, errors: ProgramErrors | undefined): JsonObject | undefined {
  const code = customCodeOf(err);
  if (code === undefined) return undefined;
  const program = failedProgram(logs);
  const found = namedError(errors, program, code) ?? loggedError(logs ?? [], code);
  if (found === undefined) return undefined;
  const message = found.message === undefined ? {} : { message: found.message.slice(0, longestLine) };
  return { ...(program === undefined ? {} : { program }), code, name: found.name, ...message };
}

/** Returns the program that caused the error. Its callers then fail with the same code. */
export function failedProgram(logs: readonly string[] | null): string | undefined {
  return (logs ?? []).find((line) => failed.test(line))?.match(failed)?.[1];
}

function customCodeOf(err: unknown): number | undefined {
  const [kind, value] = nameOf(err);
  const [name, number] = kind === 'InstructionError' && Array.isArray(value) ? nameOf(value[1]) : [];
  return name === 'Custom' ? Number(number) : undefined;
}

/** Whether a program failed with a custom error code. */
export function isCustomError(err: unknown): boolean {
  return customCodeOf(err) !== undefined;
}

type Told = Pick<AdapterProblem, 'code' | 'detail'>;

/** @param isOver whether the transaction is in a block, so that its failure is final */
function explain(
  { err, accounts, payers }: Failure,
  logs: readonly string[],
  custom: JsonObject | undefined,
  isOver: boolean,
): Told {
  const [name, value] = nameOf(err);
  if (name === 'InstructionError' && Array.isArray(value)) {
    return explainInstruction(Number(value[0]), value[1], logs, custom, isOver);
  }
  const funds = isOver ? 'reverted' : 'insufficient-funds';
  if (name === 'AccountNotFound' || name === 'InsufficientFundsForFee') {
    return { code: funds, detail: 'The wallet cannot pay the fee of the transaction.' };
  }
  if (name === 'InsufficientFundsForRent') {
    const account = accounts?.[Number(memberOf(value, 'account_index'))];
    const isPayer = account === undefined || payers === undefined || payers.has(account);
    return { code: isPayer ? funds : 'reverted', detail: rentDetail(account, isPayer) };
  }
  if (name === 'ProgramAccountNotFound' || name === 'InvalidProgramForExecution') {
    return {
      code: isOver ? 'reverted' : 'unknown-contract',
      detail: 'A program of the transaction does not exist on the ledger.',
    };
  }
  if (passing.has(name)) {
    return {
      code: 'unavailable',
      detail: `The ledger does not execute the transaction at the moment: ${name}.`,
    };
  }
  return { code: 'reverted', detail: `The ledger rejects the transaction: ${name}.` };
}

/** Minimum lamports of a rent-exempt account without data. */
const leastBalance = '890880 lamports (0.00089088 SOL)';

function rentDetail(account: string | undefined, isPayer: boolean): string {
  const name = account === undefined ? 'an account' : `the account ${account}`;
  const rule = `An account must hold at least ${leastBalance}, more if it has data (rent exemption)`;
  if (isPayer) {
    return `${rule}, and ${name} would keep less. Send less from it, send everything, or fund it.`;
  }
  return `${rule}, and ${name}, which receives lamports, would hold less. Send at least that amount to the account, because it does not exist yet.`;
}

function explainInstruction(
  index: number,
  error: unknown,
  logs: readonly string[],
  custom: JsonObject | undefined,
  isOver: boolean,
): Told {
  const [name, value] = nameOf(error);
  const [, program, said] = logs.findLast((line) => failed.test(line))?.match(failed) ?? [];
  const whose = program === undefined ? '' : ` of program ${program}`;
  const called = failedProgram(logs);
  const origin =
    called === program ? '' : ` The error comes from the program ${called}, which the instruction called.`;
  if (
    name === 'ComputationalBudgetExceeded' ||
    /exceeded CUs meter|compute units? exceeded/i.test(said ?? '')
  ) {
    return {
      code: 'out-of-gas',
      detail: `Instruction ${index} used up the compute units of the transaction.`,
    };
  }
  const lacking = logs.map((line) => line.match(insufficient)).find((match) => match !== null);
  if (lacking !== null && lacking !== undefined && name === 'Custom' && Number(value) === 1) {
    const detail = `The transfer of ${lacking[2]} lamports failed, because the account holds ${lacking[1]} at that point.`;
    return { code: isOver ? 'reverted' : 'insufficient-funds', detail };
  }
  if (custom !== undefined) {
    const message = custom.message === undefined ? '' : `: ${String(custom.message).replace(/\.$/, '')}`;
    return {
      code: 'reverted',
      detail: `Instruction ${index}${whose} failed with ${custom.name}${message}.${origin}`,
    };
  }
  const isCustom = name === 'Custom';
  const what = said ?? (isCustom ? `custom program error: 0x${Number(value).toString(16)}` : name);
  const number = isCustom ? ` (${Number(value)})` : '';
  const own = logs.findLast((line) => line.startsWith(logPrefix))?.slice(logPrefix.length);
  const words = own === undefined ? '' : ` The program's log ends with: ${own}`;
  const remedy =
    isCustom && own === undefined
      ? ' Register the program with its IDL, so that the error is shown by name.'
      : '';
  return {
    code: 'reverted',
    detail: `Instruction ${index}${whose} failed: ${what}${number}.${origin}${words}${remedy}`,
  };
}

const failed = /^Program (\w+) failed: (.*)$/;
const insufficient = /^Transfer: insufficient lamports (\d+), need (\d+)$/;
const logPrefix = 'Program log: ';

/** An error is a name, or an object with one member of that name. */
function nameOf(err: unknown): [name: string, value: unknown] {
  if (typeof err === 'string') return [err, undefined];
  if (typeof err !== 'object' || err === null) return ['unknown error', undefined];
  return Object.entries(err)[0] ?? ['unknown error', undefined];
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null
    ? Object.entries(value).find(([key]) => key === name)?.[1]
    : undefined;
}

/** Converts a node's answer to JSON. Integers that a double cannot represent become strings. */
export function toJson(value: unknown): Json {
  if (typeof value === 'bigint')
    return Number.isSafeInteger(Number(value)) ? Number(value) : value.toString();
  if (
    value === null ||
    typeof value === 'string' ||
    typeof value === 'boolean' ||
    typeof value === 'number'
  ) {
    return value;
  }
  if (Array.isArray(value)) return value.map(toJson);
  if (typeof value !== 'object') return null;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, toJson(member)]));
}
