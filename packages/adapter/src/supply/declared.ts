import type { Capabilities } from '../contract/definition.ts';
import type { Session } from '../contract/session.ts';
import { adapterError } from '../error.ts';
import type { SessionCall } from '../host.ts';
import { isDeclared, methods, sessionCalls } from '../session-calls.ts';

const required = ['chain', 'createWallet', 'check', 'prepare', 'advance', 'submit', 'confirm'] as const;

/**
 * Returns the methods of capabilities: the session's own if the capability is declared, otherwise one that throws
 * `unsupported-operation`.
 *
 * @throws AdapterError `adapter-fault` if the session lacks a required method
 */
export function declaredMethods(name: string, capabilities: Capabilities, session: Session) {
  const needed = methods.filter(
    (method) => sessionCalls[method].capability !== undefined && isDeclared(method, capabilities),
  );
  const missing = [...required, ...needed].filter((method) => session[method] === undefined);
  if (missing.length > 0) {
    const detail = `The sessions of ${name} do not implement ${missing.map((method) => `${method}()`).join(', ')}, which the adapter interface or the declared capabilities require.`;
    throw adapterError('adapter-fault', detail);
  }
  return <Method extends SessionCall>(method: Method): NonNullable<Session[Method]> => {
    const written = isDeclared(method, capabilities) ? session[method] : refusing(name, method);
    // `written` is the session's method of this name, or a function that throws for all arguments.
    return (typeof written === 'function' ? written.bind(session) : written) as NonNullable<Session[Method]>;
  };
}

function refusing(name: string, method: string) {
  return (): never => {
    throw adapterError('unsupported-operation', `The adapter ${name} does not implement ${method}().`);
  };
}
