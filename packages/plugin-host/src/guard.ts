import type { AdapterDefinition, LedgerSession, Phase } from '@ledger-ops/adapter';
import { AdapterError, adapterError, readDefinition, sessionCalls, wrapCalls } from '@ledger-ops/adapter';
import { problemSaidBy } from '@ledger-ops/adapter/words';
import { type AnswerReaders, createAnswerReaders, readInterfaceAnswer } from './answers.ts';
import { failureName, failureOf } from './failure.ts';
import { problem as problemSchema } from './schemas.ts';

/** Converts an adapter's exception to this package's AdapterError class. */
function ownError(plugin: string, what: string, phase: Phase, error: unknown): AdapterError {
  const reported =
    error instanceof Error && error.name === 'AdapterError' && 'problem' in error
      ? problemSchema.safeParse(error.problem)
      : undefined;
  if (reported?.success === true) return new AdapterError(problemSaidBy(plugin, { phase, ...reported.data }));
  const detail = `The plugin ${plugin} failed in ${what} with ${failureName(failureOf(error))}, which is not an AdapterError.`;
  return adapterError('adapter-fault', detail, { phase, cause: error });
}

function guardSession(session: LedgerSession, plugin: string, readers: AnswerReaders): LedgerSession {
  return wrapCalls(session, async (method, args, call) => {
    const read = readers(method, args);
    let value: unknown;
    try {
      value = await call(args);
    } catch (error) {
      throw ownError(plugin, `${method}()`, sessionCalls[method].phase, error);
    }
    return read(value);
  });
}

/**
 * Checks an adapter in this process like an adapter in a child process: checks every answer, and converts
 * everything thrown to an AdapterError of this package's class, even if the module has its own copy of the
 * package.
 * @param plugin name of the plugin in errors
 * @throws AdapterError `adapter-fault` if the value is not a definition, or is for another version of the
 * interface
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
        throw ownError(plugin, 'readInterface()', 'open', error);
      }
      return readInterfaceAnswer(plugin, value);
    },
    async open(...given: Parameters<AdapterDefinition['open']>) {
      try {
        return guardSession(await definition.open(...given), plugin, readers);
      } catch (error) {
        throw ownError(plugin, 'open()', 'open', error);
      }
    },
  });
}
