import type { Capabilities } from '../contract/definition.ts';
import type { Session } from '../contract/session.ts';
import { adapterError } from '../error.ts';

/** Methods that a capability takes. */
const powers = {
  sequences: ({ sequence }) => sequence === 'account',
  replace: ({ onDemandReplacement }) => onDemandReplacement === true,
  inspect: ({ onDemandReplacement }) => onDemandReplacement === true,
  balances: ({ balance }) => balance,
  lookup: ({ lookup }) => lookup,
  emulate: ({ emulation }) => emulation,
  emulateAs: ({ signedEmulation }) => signedEmulation === true,
  advanceEmulation: ({ signedEmulation }) => signedEmulation === true,
  describeContract: ({ describesContracts }) => describesContracts === true,
  contractEvents: ({ contractEvents }) => contractEvents === true,
} as const satisfies Partial<Record<keyof Session, (declared: Capabilities) => boolean>>;

const required = ['chain', 'createWallet', 'check', 'prepare', 'advance', 'submit', 'confirm'] as const;

type Power = keyof typeof powers;

/**
 * The methods of the capabilities: those that are declared as they are written, the others refusing.
 * @throws AdapterError `adapter-fault` when the session lacks one that it must have
 */
export function declaredMethods(name: string, capabilities: Capabilities, session: Session) {
  const must = [...required, ...keysOf(powers).filter((power) => powers[power](capabilities))];
  const missing = must.filter((method) => session[method] === undefined);
  if (missing.length > 0) {
    const detail = `The sessions of ${name} lack ${missing.map((method) => `${method}()`).join(', ')}, which every adapter needs or its capabilities declare.`;
    throw adapterError('adapter-fault', detail);
  }
  return <Method extends Power>(method: Method): NonNullable<Session[Method]> => {
    const written = powers[method](capabilities) ? session[method] : refusing(name, method);
    // A method of this name, or one that takes whatever it is given.
    return (typeof written === 'function' ? written.bind(session) : written) as NonNullable<Session[Method]>;
  };
}

function refusing(name: string, method: string) {
  return (): never => {
    throw adapterError('unsupported-operation', `The adapter ${name} has no ${method}().`);
  };
}

function keysOf<Key extends string>(of: Record<Key, unknown>): Key[] {
  // An object literal has no keys but those of its type.
  return Object.keys(of) as Key[];
}
