import type { AdapterProblem, Json, JsonObject, Phase } from '@ledger-ops/adapter';
import { loggedError, namedError, type ProgramErrors } from '../idl/program-errors.ts';

/** An error of a transaction as nodes write it, with what it is of. */
export interface Failure {
  err: unknown;
  logs: readonly string[] | null;
  /** The transaction's accounts in their order, where they are known. */
  accounts?: readonly string[];
}

/** Errors of the moment: the same transaction may be executed later. */
const passing = new Set([
  'BlockhashNotFound',
  'AccountInUse',
  'ClusterMaintenance',
  'TooManyAccountLocks',
  'WouldExceedMaxBlockCostLimit',
  'WouldExceedMaxAccountCostLimit',
  'WouldExceedAccountDataBlockLimit',
]);

/** Lines of logs, and characters of each, that go along with a problem. */
const mostLines = 40;
const longestLine = 300;

/** Why a transaction failed, or would, as the host is told. */
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

/** The program's own error, as far as its IDL or its log names it. */
function customErrorOf({ err, logs }: Failure, errors: ProgramErrors | undefined): JsonObject | undefined {
  const code = customCodeOf(err);
  if (code === undefined) return undefined;
  const program = failedProgram(logs);
  const found = namedError(errors, program, code) ?? loggedError(logs ?? [], code);
  if (found === undefined) return undefined;
  const message = found.message === undefined ? {} : { message: found.message.slice(0, longestLine) };
  return { ...(program === undefined ? {} : { program }), code, name: found.name, ...message };
}

/** The program whose error it is: those that called it fail behind it, with the same number. */
export function failedProgram(logs: readonly string[] | null): string | undefined {
  return (logs ?? []).find((line) => failed.test(line))?.match(failed)?.[1];
}

function customCodeOf(err: unknown): number | undefined {
  const [kind, value] = nameOf(err);
  const [name, number] = kind === 'InstructionError' && Array.isArray(value) ? nameOf(value[1]) : [];
  return name === 'Custom' ? Number(number) : undefined;
}

/** Whether a program says by a number of its own why it failed. */
export function isCustomError(err: unknown): boolean {
  return customCodeOf(err) !== undefined;
}

type Told = Pick<AdapterProblem, 'code' | 'detail'>;

/** @param isOver it stands in a block: then it was executed, whatever the reason. */
function explain(
  { err, accounts }: Failure,
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
    const index = memberOf(value, 'account_index');
    const account = accounts?.[Number(index)];
    const whose = account === undefined ? 'An account' : `The account ${account}`;
    const detail = `${whose} would be left with fewer lamports than the minimum that an account must hold (rent exemption; 890880 where it has no data).`;
    return { code: funds, detail };
  }
  if (name === 'ProgramAccountNotFound' || name === 'InvalidProgramForExecution') {
    return {
      code: isOver ? 'reverted' : 'unknown-contract',
      detail: 'A program of the transaction is not on the ledger.',
    };
  }
  if (passing.has(name)) {
    return { code: 'unavailable', detail: `The ledger does not execute the transaction now: ${name}.` };
  }
  return { code: 'reverted', detail: `The ledger refuses the transaction: ${name}.` };
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
    const detail = `The transfer of ${lacking[2]} lamports failed: the account holds ${lacking[1]} then.`;
    return { code: isOver ? 'reverted' : 'insufficient-funds', detail };
  }
  if (custom !== undefined) {
    const message = custom.message === undefined ? '' : `: ${custom.message}`;
    const whose = program === undefined ? '' : ` of program ${program}`;
    return { code: 'reverted', detail: `Instruction ${index}${whose} failed with ${custom.name}${message}.` };
  }
  const what = said ?? (name === 'Custom' ? `custom program error: 0x${Number(value).toString(16)}` : name);
  const whose = program === undefined ? '' : ` of program ${program}`;
  const own = logs.findLast((line) => line.startsWith(logPrefix))?.slice(logPrefix.length);
  const words = own === undefined ? '' : ` Its log ends with: ${own}`;
  return { code: 'reverted', detail: `Instruction ${index}${whose} failed: ${what}.${words}` };
}

const failed = /^Program (\w+) failed: (.*)$/;
const insufficient = /^Transfer: insufficient lamports (\d+), need (\d+)$/;
const logPrefix = 'Program log: ';

/** Errors are a name, or an object of one member that is it. */
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

/** Answers of nodes as JSON: integers that a number cannot hold are texts. */
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
