import type { AdapterDefinition, LedgerSession } from '@ledger-ops/adapter';
import { AdapterError, adapterError } from '@ledger-ops/adapter';
import { problemSaidBy } from '@ledger-ops/adapter/words';
import { type AnswerReaders, createAnswerReaders, readInterfaceAnswer } from './answers.ts';
import { readDefinition } from './definition.ts';
import { failureName, failureOf } from './failure.ts';
import type { SessionCall } from './messages/messages.ts';
import { phaseOf } from './phase-of.ts';
import { problem as problemSchema } from './schemas.ts';

/** An adapter's exception as this package's own AdapterError. */
function ownError(
  plugin: string,
  what: string,
  method: SessionCall | undefined,
  error: unknown,
): AdapterError {
  const reported =
    error instanceof Error && error.name === 'AdapterError' && 'problem' in error
      ? problemSchema.safeParse(error.problem)
      : undefined;
  if (reported?.success === true) return new AdapterError(problemSaidBy(plugin, reported.data));
  const phase = method === undefined ? 'open' : phaseOf[method];
  const detail = `The plugin ${plugin} failed in ${what} with ${failureName(failureOf(error))}, which is no AdapterError.`;
  return adapterError('adapter-fault', detail, { phase, cause: error });
}

function guardSession(session: LedgerSession, plugin: string, readers: AnswerReaders): LedgerSession {
  const { renewWallet, replace, inspect, describeContract, contractEvents } = session;
  const { emulateAs, advanceEmulation } = session;
  const call = async <Result>(
    method: SessionCall,
    run: () => Promise<unknown>,
    read: (value: unknown) => Promise<Result>,
  ): Promise<Result> => {
    let value: unknown;
    try {
      value = await run();
    } catch (error) {
      throw ownError(plugin, `${method}()`, method, error);
    }
    return read(value);
  };
  return {
    chain: (request) => call('chain', () => session.chain(request), readers.chain(request)),
    createWallet: (one) => call('createWallet', () => session.createWallet(one), readers.createWallet(one)),
    advanceWallet: (one) =>
      call('advanceWallet', () => session.advanceWallet(one), readers.advanceWallet(one)),
    ...(renewWallet === undefined
      ? {}
      : {
          renewWallet: (one) =>
            call('renewWallet', () => renewWallet.call(session, one), readers.renewWallet(one)),
        }),
    check: (one) => call('check', () => session.check(one), readers.check(one)),
    estimate: (all) => call('estimate', () => session.estimate(all), readers.estimate(all)),
    prepare: (all) => call('prepare', () => session.prepare(all), readers.prepare(all)),
    advance: (all) => call('advance', () => session.advance(all), readers.advance(all)),
    ...(replace === undefined || inspect === undefined
      ? {}
      : {
          replace: (all) => call('replace', () => replace.call(session, all), readers.replace(all)),
          inspect: (all) => call('inspect', () => inspect.call(session, all), readers.inspect(all)),
        }),
    submit: (all) => call('submit', () => session.submit(all), readers.submit(all)),
    confirm: (one) => call('confirm', () => session.confirm(one), readers.confirm(one)),
    onHead: (listener) => session.onHead(listener),
    sequences: (all, how) => call('sequences', () => session.sequences(all, how), readers.sequences(all)),
    balances: (all) => call('balances', () => session.balances(all), readers.balances(all)),
    normaliseAddress: (one) =>
      call('normaliseAddress', () => session.normaliseAddress(one), readers.normaliseAddress(one)),
    emulate: (one) => call('emulate', () => session.emulate(one), readers.emulate(one)),
    ...(describeContract === undefined
      ? {}
      : {
          describeContract: (one) =>
            call(
              'describeContract',
              () => describeContract.call(session, one),
              readers.describeContract(one),
            ),
        }),
    ...(contractEvents === undefined
      ? {}
      : {
          contractEvents: (one) =>
            call('contractEvents', () => contractEvents.call(session, one), readers.contractEvents(one)),
        }),
    ...(emulateAs === undefined || advanceEmulation === undefined
      ? {}
      : {
          emulateAs: (one) => call('emulateAs', () => emulateAs.call(session, one), readers.emulateAs(one)),
          advanceEmulation: (one) =>
            call(
              'advanceEmulation',
              () => advanceEmulation.call(session, one),
              readers.advanceEmulation(one),
            ),
        }),
    lookup: (one) => call('lookup', () => session.lookup(one), readers.lookup(one)),
    close: () => session.close(),
  };
}

/**
 * Holds an adapter in this process to the checks that one in a child process gets: every answer is checked,
 * and whatever is thrown becomes an AdapterError of this package's class, also when the module has a copy of
 * the package of its own.
 * @param plugin the name by which errors call it.
 * @throws AdapterError `adapter-fault` when it is no definition, or of another interface version.
 */
export function guardDefinition(plugin: string, definition: AdapterDefinition): AdapterDefinition {
  const members = readDefinition(plugin, definition);
  const readers = createAnswerReaders(plugin, members.keyType);
  return Object.freeze({
    ...members,
    async readInterface(text: string) {
      let value: unknown;
      try {
        value = await definition.readInterface(text);
      } catch (error) {
        throw ownError(plugin, 'readInterface()', undefined, error);
      }
      return readInterfaceAnswer(plugin, value);
    },
    async open(...given: Parameters<AdapterDefinition['open']>) {
      try {
        return guardSession(await definition.open(...given), plugin, readers);
      } catch (error) {
        throw ownError(plugin, 'open()', undefined, error);
      }
    },
  });
}
