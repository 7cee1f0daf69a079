import {
  type ContractInterface,
  faultOfEvents,
  type KeyType,
  type SessionCall,
  type SessionCalls,
  sessionCalls,
} from '@ledger-ops/adapter';
import type { z } from 'zod';
import { Answer } from './answer.ts';
import {
  accountTransactions,
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
  listedId,
  lookedUp,
  outcome,
  quantity,
  remark,
  roundSchemas,
  signersFound,
  submitted,
  transactionId,
} from './schemas.ts';

/**
 * Creates the reader of an answer, given the call and its arguments. Create the reader before the call,
 * because the host may change the request during the call.
 *
 * @throws AdapterError `adapter-fault`: the reader, if the answer violates the adapter interface
 */
export type AnswerReaders = <Method extends SessionCall>(
  method: Method,
  args: unknown[],
) => (value: unknown) => ReturnType<SessionCalls[Method]>;

/** The reader of each method's answer. */
type ReaderTable = {
  readonly [Method in keyof SessionCalls]: (
    answer: Answer,
    ...args: Parameters<SessionCalls[Method]>
  ) => (value: unknown) => ReturnType<SessionCalls[Method]>;
};

/**
 * Readers for the answers of one adapter. They also check that answers match their requests: the right number, and only
 * about requested transactions.
 *
 * @param plugin name used in errors
 */
export function createAnswerReaders(plugin: string, keyType: KeyType): AnswerReaders {
  const readers = readerTable(keyType);
  return (method, args) => {
    const answer = new Answer(plugin, `${method}()`, sessionCalls[method].phase);
    // Each reader gets the arguments of its own method.
    return Reflect.apply(readers[method], readers, [answer, ...args]);
  };
}

function readerTable(keyType: KeyType): ReaderTable {
  const rounds = roundSchemas(keyType);
  return {
    chain: (answer) => async (value) => {
      const { unsure, ...identity } = await answer.parse(chainIdentity, value);
      return unsure === undefined ? identity : { ...identity, unsure: answer.quoteText(unsure) };
    },
    createWallet: one(rounds.wallet),
    advanceWallet: one(rounds.wallet),
    renewWallet: one(rounds.wallet),
    check: one(checked),
    estimate: each(estimated),
    prepare: each(rounds.prepared),
    advance: each(rounds.advanced),
    replace(answer, requests) {
      const kinds = requests.map(({ kind }) => kind);
      const read = each(rounds.replaced)(answer, requests);
      return async (value) => {
        const answers = await read(value);
        const other = answers.find(
          (item, index) => item.status === 'prepared' && item.attempt.kind !== kinds[index],
        );
        if (other !== undefined) throw answer.fault('a different kind of attempt than requested');
        return answers;
      };
    },
    inspect: each(inspected),
    submit(answer, submissions) {
      const requested = new Set(submissions.map(({ txId }) => txId));
      return async (value) => answer.parseAbout(requested, submitted, await answer.parse(list, value));
    },
    confirm(answer, { pending }) {
      const requested = new Set(pending.keys());
      return async (value) => {
        const { outcomes, remarks, warnings, ...rest } = await answer.parse(confirmed, value);
        return {
          ...rest,
          outcomes: await answer.parseAbout(requested, outcome, outcomes, '/outcomes'),
          ...(remarks && { remarks: await answer.parseAbout(requested, remark, remarks, '/remarks') }),
          ...(warnings && { warnings: warnings.map((warning) => answer.quoteText(warning)) }),
        };
      };
    },
    sequences: each(quantity),
    balances: each(quantity),
    normaliseAddress: one(address),
    describeContract: one(description),
    contractEvents(answer, { after, limit }) {
      const request = { after, limit };
      return async (value) => {
        const { events: told, ...rest } = await answer.parse(contractEvents, value);
        // Checked before the events are parsed, because parsing takes time.
        if (told.length > limit)
          throw answer.fault(`${told.length} events, although at most ${limit} were requested`);
        const page = { ...rest, events: await answer.parseEach(contractEvent, told, '/events') };
        const faulty = faultOfEvents(request, page);
        if (faulty !== undefined) throw answer.fault(faulty);
        return page;
      };
    },
    emulate: one(emulated),
    emulateAs: one(rounds.emulated),
    advanceEmulation: one(rounds.emulated),
    transactionAt: one(transactionId),
    transactionsOf: (answer) => async (value) => {
      const { txIds, incomplete, ...heights } = await answer.parse(accountTransactions, value);
      return {
        ...heights,
        txIds: await answer.parseEach(listedId, txIds, '/txIds'),
        ...(incomplete === undefined ? {} : { incomplete: answer.quoteText(incomplete) }),
      };
    },
    signersOf: each(signersFound),
    lookup: (answer, txId) => async (value) => {
      const found = await answer.parse(lookedUp, value);
      if (found === null) return null;
      if (found.txId.toLowerCase() === txId.toLowerCase()) return answer.quote(found);
      throw answer.fault('a different transaction than the requested one');
    },
  };
}

/** Reads a single answer. */
function one<Result>(schema: z.ZodType<Result>) {
  return (answer: Answer) => (value: unknown) => answer.parse(schema, value);
}

/** Reads a list of as many answers as requests. */
function each<Item>(schema: z.ZodType<Item>) {
  return (answer: Answer, { length }: readonly unknown[]) =>
    async (value: unknown): Promise<Item[]> => {
      const values = await answer.parse(list, value);
      if (values.length !== length) throw answer.fault(`${values.length} responses to ${length} requests`);
      return await answer.parseEach(schema, values, '', (item) => answer.quote(item));
    };
}

/** Reads the answer of `readInterface`. @throws AdapterError `adapter-fault` */
export async function readInterfaceAnswer(plugin: string, value: unknown): Promise<ContractInterface> {
  const answer = new Answer(plugin, 'readInterface()', 'interface');
  const { methods, constructorInputs, eventNames, ...rest } = await answer.parse(contractInterface, value);
  return {
    ...rest,
    ...(constructorInputs === undefined ? {} : { constructorInputs }),
    ...(eventNames === undefined
      ? {}
      : { eventNames: await answer.parseEach(eventName, eventNames, '/eventNames') }),
    methods: await answer.parseEach(contractMethod, methods, '/methods'),
  };
}
