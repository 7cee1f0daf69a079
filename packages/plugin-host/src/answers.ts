import type { AdapterProblem, ContractInterface, KeyType, LedgerSession, Phase } from '@ledger-ops/adapter';
import { adapterError, faultOfEvents } from '@ledger-ops/adapter';
import { problemSaidBy, saidBy } from '@ledger-ops/adapter/words';
import type { z } from 'zod';
import type { SessionCall } from './messages/messages.ts';
import { isSliceOver, nextSlice } from './messages/time-slice.ts';
import { phaseOf } from './phase-of.ts';
import {
  address,
  chainIdentity,
  checked,
  confirmed,
  contractEvent,
  contractEvents,
  contractInterface,
  contractMethod,
  description,
  emulated,
  estimated,
  eventName,
  inspected,
  list,
  lookedUp,
  outcome,
  quantity,
  remark,
  roundSchemas,
  submitted,
} from './schemas.ts';

/**
 * For each call of a session: given the request, a reader that takes what was answered and gives it typed, or
 * throws what is wrong with it. Made before the call, since the host may go on to change the request. Lists are read item
 * by item, with turns for everybody else between them.
 */
export type AnswerReaders = {
  [Method in SessionCall]: (
    ...args: Parameters<Required<LedgerSession>[Method]>
  ) => (value: unknown) => Promise<Awaited<ReturnType<Required<LedgerSession>[Method]>>>;
};

const shownIssues = 3;

interface Answer {
  plugin: string;
  /** The call, for texts: `check()`. */
  what: string;
  phase: Phase;
}

/** Reads an answer, or what stands at a place in it, by its schema. @throws AdapterError `adapter-fault` naming plugin, call and place. */
function parseNow<Result>(
  { plugin, what, phase }: Answer,
  schema: z.ZodType<Result>,
  value: unknown,
  at = '',
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
    .map(({ path, message }) => `${[at, ...path].join('/') || '/'}: ${message}`);
  throw fault(plugin, what, phase, `what the contract does not allow: ${places.join('; ')}`);
}

/** The same when there is time for it. */
async function parseAnswer<Result>(
  answer: Answer,
  schema: z.ZodType<Result>,
  value: unknown,
  at?: string,
): Promise<Result> {
  await nextSlice();
  return parseNow(answer, schema, value, at);
}

/** The same for each item of a list, as there is time. `then` does with an item what is still to be done. */
async function parseEach<Item>(
  answer: Answer,
  schema: z.ZodType<Item>,
  values: readonly unknown[],
  then: (item: Item) => Item,
  at = '',
): Promise<Item[]> {
  const items: Item[] = [];
  for (const [index, value] of values.entries()) {
    if (isSliceOver()) await nextSlice();
    items.push(then(parseNow(answer, schema, value, `${at}/${index}`)));
  }
  return items;
}

function fault(plugin: string, what: string, phase: Phase, answered: string, cause?: unknown) {
  const detail = `The plugin ${plugin} answered ${what} with ${answered}. The plugin must be mended.`;
  return adapterError('adapter-fault', detail, { phase, ...(cause === undefined ? {} : { cause }) });
}

/** Reads the answer of `readInterface`. @throws AdapterError `adapter-fault` */
export async function readInterfaceAnswer(plugin: string, value: unknown): Promise<ContractInterface> {
  const answer: Answer = { plugin, what: 'readInterface()', phase: 'interface' };
  const { methods, constructorInputs, eventNames, ...rest } = await parseAnswer(
    answer,
    contractInterface,
    value,
  );
  return {
    ...rest,
    ...(constructorInputs === undefined ? {} : { constructorInputs }),
    ...(eventNames === undefined
      ? {}
      : { eventNames: await parseEach(answer, eventName, eventNames, (one) => one, '/eventNames') }),
    methods: await parseEach(answer, contractMethod, methods, (one) => one, '/methods'),
  };
}

/**
 * Readers for the answers of one adapter. Beside the shapes they hold what answers must have to do with their
 * requests: as many as were asked, and about nothing but what was asked.
 * @param plugin the name by which errors call it.
 */
export function createAnswerReaders(plugin: string, keyType: KeyType): AnswerReaders {
  const rounds = roundSchemas(keyType);
  const answerOf = (method: SessionCall): Answer => ({
    plugin,
    what: `${method}()`,
    phase: phaseOf[method],
  });
  const wrong = (method: SessionCall, answered: string) =>
    fault(plugin, `${method}()`, phaseOf[method], answered);

  /** An adapter's sentences for people become its words. The answer was made by the parser: it is changed in place. */
  const quoted = <Item extends object>(item: Item): Item => {
    if ('problem' in item && item.problem !== undefined) {
      // Every schema has a problem of this form there.
      item.problem = problemSaidBy(plugin, item.problem as AdapterProblem);
    }
    if ('detail' in item && typeof item.detail === 'string') item.detail = saidBy(plugin, item.detail);
    return item;
  };

  const one =
    <Result>(method: SessionCall, schema: z.ZodType<Result>) =>
    () =>
    (value: unknown) =>
      parseAnswer(answerOf(method), schema, value);
  /** As many answers as requests. */
  const asMany = async <Item>(
    method: SessionCall,
    asked: number,
    schema: z.ZodType<Item>,
    value: unknown,
    then: (item: Item) => Item,
  ): Promise<Item[]> => {
    const values = await parseAnswer(answerOf(method), list, value);
    if (values.length !== asked) throw wrong(method, `${values.length} answers to ${asked} requests`);
    return parseEach(answerOf(method), schema, values, then);
  };
  /** Answers about transactions that were asked about, and no others. */
  const aboutAsked = async <Item extends { txId: string }>(
    method: SessionCall,
    asked: ReadonlySet<string>,
    schema: z.ZodType<Item>,
    values: readonly unknown[],
    at?: string,
  ): Promise<Item[]> =>
    parseEach(
      answerOf(method),
      schema,
      values,
      (item) => {
        if (!asked.has(item.txId)) throw wrong(method, 'a transaction that it was not asked about');
        return quoted(item);
      },
      at,
    );
  const same = <Item>(item: Item): Item => item;

  return {
    chain: () => async (value) => {
      const { unsure, ...identity } = await parseAnswer(answerOf('chain'), chainIdentity, value);
      return unsure === undefined ? identity : { ...identity, unsure: saidBy(plugin, unsure) };
    },
    createWallet: one('createWallet', rounds.wallet),
    advanceWallet: one('advanceWallet', rounds.wallet),
    renewWallet: one('renewWallet', rounds.wallet),
    check: one('check', checked),
    estimate:
      ({ length }) =>
      (value) =>
        asMany('estimate', length, estimated, value, quoted),
    prepare:
      ({ length }) =>
      (value) =>
        asMany('prepare', length, rounds.prepared, value, quoted),
    advance:
      ({ length }) =>
      (value) =>
        asMany('advance', length, rounds.advanced, value, same),
    replace: (requests) => {
      const kinds = requests.map(({ kind }) => kind);
      return async (value) => {
        const answers = await asMany('replace', kinds.length, rounds.replaced, value, quoted);
        const other = answers.find(
          (answer, index) => answer.status === 'prepared' && answer.attempt.kind !== kinds[index],
        );
        if (other !== undefined) throw wrong('replace', 'another kind of attempt than it was asked for');
        return answers;
      };
    },
    inspect:
      ({ length }) =>
      (value) =>
        asMany('inspect', length, inspected, value, quoted),
    submit(submissions) {
      const asked = new Set(submissions.map(({ txId }) => txId));
      return async (value) =>
        aboutAsked('submit', asked, submitted, await parseAnswer(answerOf('submit'), list, value));
    },
    confirm({ pending }) {
      const asked = new Set(pending.keys());
      return async (value) => {
        const { outcomes, remarks, warnings, ...rest } = await parseAnswer(
          answerOf('confirm'),
          confirmed,
          value,
        );
        return {
          ...rest,
          outcomes: await aboutAsked('confirm', asked, outcome, outcomes, '/outcomes'),
          ...(remarks && { remarks: await aboutAsked('confirm', asked, remark, remarks, '/remarks') }),
          ...(warnings && { warnings: warnings.map((warning) => saidBy(plugin, warning)) }),
        };
      };
    },
    sequences:
      ({ length }) =>
      (value) =>
        asMany('sequences', length, quantity, value, same),
    balances:
      ({ length }) =>
      (value) =>
        asMany('balances', length, quantity, value, same),
    normaliseAddress: one('normaliseAddress', address),
    describeContract: one('describeContract', description),
    contractEvents(request) {
      const asked = { after: request.after, limit: request.limit };
      return async (value) => {
        const answer = answerOf('contractEvents');
        const { events: told, ...rest } = await parseAnswer(answer, contractEvents, value);
        // Before they are read, of which each takes its time.
        if (told.length > asked.limit)
          throw wrong('contractEvents', `${told.length} events, where ${asked.limit} were asked for`);
        const page = { ...rest, events: await parseEach(answer, contractEvent, told, same, '/events') };
        const faulty = faultOfEvents(asked, page);
        if (faulty !== undefined) throw wrong('contractEvents', faulty);
        return page;
      };
    },
    emulate: one('emulate', emulated),
    emulateAs: one('emulateAs', rounds.emulated),
    advanceEmulation: one('advanceEmulation', rounds.emulated),
    lookup: (txId) => async (value) => {
      const answer = await parseAnswer(answerOf('lookup'), lookedUp, value);
      if (answer === null) return null;
      if (answer.txId.toLowerCase() === txId.toLowerCase()) return quoted(answer);
      throw wrong('lookup', 'another transaction than the one that was asked for');
    },
  };
}
