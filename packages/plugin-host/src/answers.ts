import type { AdapterProblem, ContractInterface, KeyType, LedgerSession, Phase } from '@ledger-ops/adapter';
import { adapterError } from '@ledger-ops/adapter';
import { problemSaidBy, saidBy } from '@ledger-ops/adapter/words';
import type { z } from 'zod';
import type { SessionCall } from './messages/messages.ts';
import { phaseOf } from './phase-of.ts';
import {
  address,
  chainIdentity,
  checked,
  confirmed,
  contractInterface,
  description,
  emulated,
  estimates,
  inspected,
  lookedUp,
  quantities,
  roundSchemas,
  submitted,
} from './schemas.ts';

/**
 * For each call of a session: given the request, a reader that takes what was answered and gives it typed, or
 * throws what is wrong with it. Made before the call, since the host may go on to change the request.
 */
export type AnswerReaders = {
  [Method in SessionCall]: (
    ...args: Parameters<Required<LedgerSession>[Method]>
  ) => (value: unknown) => Awaited<ReturnType<Required<LedgerSession>[Method]>>;
};

const shownIssues = 3;

/** Reads an answer by its schema. @throws AdapterError `adapter-fault` naming plugin, call and place. */
function parseAnswer<Result>(
  plugin: string,
  what: string,
  phase: Phase,
  schema: z.ZodType<Result>,
  value: unknown,
): Result {
  let parsed: z.ZodSafeParseResult<Result>;
  try {
    parsed = schema.safeParse(value);
  } catch (cause) {
    // Deeper than the stack, or a cycle.
    throw fault(plugin, what, phase, 'data that cannot be read', cause);
  }
  if (parsed.success) return parsed.data;
  const places = parsed.error.issues
    .slice(0, shownIssues)
    .map(({ path, message }) => `/${path.join('/')}: ${message}`);
  throw fault(plugin, what, phase, `what the contract does not allow: ${places.join('; ')}`);
}

function fault(plugin: string, what: string, phase: Phase, answered: string, cause?: unknown) {
  const detail = `The plugin ${plugin} answered ${what} with ${answered}. The plugin must be mended.`;
  return adapterError('adapter-fault', phase, detail, cause === undefined ? {} : { cause });
}

/** Reads the answer of `readInterface`. @throws AdapterError `adapter-fault` */
export function readInterfaceAnswer(plugin: string, value: unknown): ContractInterface {
  return parseAnswer(plugin, 'readInterface()', 'interface', contractInterface, value);
}

/**
 * Readers for the answers of one adapter. Beside the shapes they hold what answers must have to do with their
 * requests: as many as were asked, and about nothing but what was asked.
 * @param plugin the name by which errors call it.
 */
export function createAnswerReaders(plugin: string, keyType: KeyType): AnswerReaders {
  const rounds = roundSchemas(keyType);
  const parse = <Result>(method: SessionCall, schema: z.ZodType<Result>, value: unknown): Result =>
    parseAnswer(plugin, `${method}()`, phaseOf[method], schema, value);
  const wrong = (method: SessionCall, answered: string) =>
    fault(plugin, `${method}()`, phaseOf[method], answered);
  const asMany = <Item>(method: SessionCall, asked: number, answers: Item[]): Item[] => {
    if (answers.length === asked) return answers;
    throw wrong(method, `${answers.length} answers to ${asked} requests`);
  };
  const onlyAsked = <Answer extends { txId: string }>(
    method: SessionCall,
    asked: ReadonlySet<string>,
    answers: Answer[],
  ): Answer[] => {
    if (answers.every(({ txId }) => asked.has(txId))) return answers;
    throw wrong(method, 'a transaction that it was not asked about');
  };

  /** An adapter's sentences for people become its words. The answer was made by the parser: it is changed in place. */
  const quoted = <Answer extends object>(answer: Answer): Answer => {
    if ('problem' in answer && answer.problem !== undefined) {
      // Every schema has a problem of this form there.
      answer.problem = problemSaidBy(plugin, answer.problem as AdapterProblem);
    }
    if ('detail' in answer && typeof answer.detail === 'string')
      answer.detail = saidBy(plugin, answer.detail);
    return answer;
  };

  return {
    chain: () => (value) => {
      const { unsure, ...identity } = parse('chain', chainIdentity, value);
      return unsure === undefined ? identity : { ...identity, unsure: saidBy(plugin, unsure) };
    },
    createWallet: () => (value) => parse('createWallet', rounds.wallet, value),
    advanceWallet: () => (value) => parse('advanceWallet', rounds.wallet, value),
    renewWallet: () => (value) => parse('renewWallet', rounds.wallet, value),
    check: () => (value) => parse('check', checked, value),
    estimate: ({ length }) => {
      return (value) => asMany('estimate', length, parse('estimate', estimates, value)).map(quoted);
    },
    prepare: ({ length }) => {
      return (value) => asMany('prepare', length, parse('prepare', rounds.prepared, value)).map(quoted);
    },
    advance: ({ length }) => {
      return (value) => asMany('advance', length, parse('advance', rounds.advanced, value));
    },
    replace: (requests) => {
      const kinds = requests.map(({ kind }) => kind);
      return (value) => {
        const answers = asMany('replace', kinds.length, parse('replace', rounds.replaced, value)).map(quoted);
        const other = answers.find(
          (answer, index) => answer.status === 'prepared' && answer.attempt.kind !== kinds[index],
        );
        if (other !== undefined) throw wrong('replace', 'another kind of attempt than it was asked for');
        return answers;
      };
    },
    inspect: ({ length }) => {
      return (value) => asMany('inspect', length, parse('inspect', inspected, value)).map(quoted);
    },
    submit(submissions) {
      const asked = new Set(submissions.map(({ txId }) => txId));
      return (value) => onlyAsked('submit', asked, parse('submit', submitted, value)).map(quoted);
    },
    confirm({ pending }) {
      const asked = new Set(pending.keys());
      return (value) => {
        const answer = parse('confirm', confirmed, value);
        for (const one of onlyAsked('confirm', asked, [...answer.outcomes, ...(answer.remarks ?? [])]))
          quoted(one);
        if (answer.warnings !== undefined)
          answer.warnings = answer.warnings.map((warning) => saidBy(plugin, warning));
        return answer;
      };
    },
    sequences: ({ length }) => {
      return (value) => asMany('sequences', length, parse('sequences', quantities, value));
    },
    balances: ({ length }) => {
      return (value) => asMany('balances', length, parse('balances', quantities, value));
    },
    normaliseAddress: () => (value) => parse('normaliseAddress', address, value),
    describeContract: () => (value) => parse('describeContract', description, value),
    emulate: () => (value) => parse('emulate', emulated, value),
    emulateAs: () => (value) => parse('emulateAs', rounds.emulated, value),
    advanceEmulation: () => (value) => parse('advanceEmulation', rounds.emulated, value),
    lookup: (txId) => (value) => {
      const answer = parse('lookup', lookedUp, value);
      if (answer === null) return null;
      if (answer.txId.toLowerCase() === txId.toLowerCase()) return quoted(answer);
      throw wrong('lookup', 'another transaction than the one that was asked for');
    },
  };
}
