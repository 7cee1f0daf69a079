import { given } from './given.ts';
import type { components } from './schema.generated.ts';

type Schemas = components['schemas'];

/** An accepted operation. It is stored, and will either be executed exactly once or fail. */
export type Accepted = Schemas['ActionCreated'];

/** A wallet that signs, with its password. */
export interface Sender {
  readonly walletId: string;
  readonly walletPassword: string;
}

/**
 * Identifies an operation, so that repeated calls execute it once. An operation with the same key but other content is
 * refused with the problem `idempotency-key-reused`. Passwords are not part of the content; `deadline` is.
 */
export interface OperationKey {
  /** 1 to 255 visible ASCII characters. */
  readonly idempotencyKey?: string;
  /** Your own name for the operation, such as an invoice number. {@link referenceKey} converts it to the key. */
  readonly reference?: string;
}

/** Members of every operation. Without a key or a reference, each call gets a new key. */
export interface OperationOptions extends OperationKey {
  /** Ids of actions that must have SUCCEEDED before this operation is signed. */
  readonly dependencies?: readonly string[];
  /** A UUID that groups actions. */
  readonly intent?: string;
  readonly tag?: string;
  /** The operation FAILS if it is not signed by this time. */
  readonly deadline?: Date;
  /** Settings specific to a ledger, such as a fee or the value sent to a payable method. */
  readonly meta?: Schemas['GloMeta'];
  /** Exactly the other wallets that `meta` names as signers or payers. */
  readonly wallets?: readonly Sender[];
  readonly signal?: AbortSignal;
}

/**
 * A record by its id, or by its address on a ledger. `ledger` is the name of a technology from `GET
 * /v1/technologies`, such as `ethereum`.
 */
export type Place = string | { readonly ledger: string; readonly address: string };

/** An argument of a method: integers, strings, bytes, and lists and objects of them. */
export type Argument =
  | string
  | bigint
  | number
  | boolean
  | Uint8Array
  | readonly Argument[]
  | { readonly [name: string]: Argument };

/** Sends native currency to an account. */
export interface Transfer extends Sender, OperationOptions {
  /** Id of a wallet, or an address. */
  readonly to: Place;
  /** In the ledger's smallest unit. */
  readonly amount: bigint | number | string;
}

/** A call to a method that changes state. */
export interface Call extends Sender, OperationOptions {
  /** Id of a registered contract, or an address. `action:<id>` is the contract that this action deploys. */
  readonly contract: Place;
  /** The method's name, or its signature if several methods share the name. */
  readonly method: string;
  readonly args?: readonly Argument[];
}

export interface Deployment extends Sender, OperationOptions {
  /** Id and version of a template: `token:1`. */
  readonly template: string;
  readonly args?: readonly Argument[];
}

/** A call that only reads the ledger's current state. */
export interface Reading {
  readonly contract: Place;
  readonly method: string;
  readonly args?: readonly Argument[];
  /** The wallet as which the method is called. */
  readonly walletId?: string;
  readonly ledgerId?: string;
  readonly signal?: AbortSignal;
}

/** An operation to emulate. */
export interface Emulation {
  readonly glo: Schemas['Glo'];
  /** The wallet that would sign. */
  readonly walletId?: string;
  /** Runs the emulation signed by the wallet, for ledgers on which the result depends on the caller. */
  readonly walletPassword?: string;
  /** The ledger; required without a wallet. */
  readonly ledgerId?: string;
  readonly signal?: AbortSignal;
}

/** The expected outcome and fee. */
export type Emulated = Schemas['Emulated'];

const version = '0.1.0';
const maxKeyLength = 255;

/**
 * Creates a transfer as a generic ledger operation.
 * @throws RangeError if the amount is not an exact integer
 */
export const transferGlo = ({
  to,
  amount,
  meta,
}: Pick<Transfer, 'to' | 'amount' | 'meta'>): Schemas['Glo'] => ({
  ...{ version, type: 'transfer' },
  options: { recipient: locatorOf(to), amount: argumentText(amount) },
  ...given({ meta }),
});

/**
 * Creates a call as a generic ledger operation.
 * @throws RangeError if a number is not an exact integer
 */
export const callGlo = ({
  contract,
  method,
  args = [],
  meta,
}: Pick<Call, 'contract' | 'method' | 'args' | 'meta'>): Schemas['Glo'] => ({
  ...{ version, type: 'contract_call' },
  options: { contract_instance: locatorOf(contract), method_name: method, args: args.map(argumentText) },
  ...given({ meta }),
});

/**
 * Creates a deployment as a generic ledger operation.
 * @throws RangeError if a number is not an exact integer
 */
export const deploymentGlo = ({
  template,
  args = [],
  meta,
}: Pick<Deployment, 'template' | 'args' | 'meta'>): Schemas['Glo'] => ({
  ...{ version, type: 'contract_deploy' },
  options: { contract_source: locatorOf(template), args: args.map(argumentText) },
  ...given({ meta }),
});

/**
 * Returns the idempotency key of a reference, which is the same in every program: `reference:invoice-4711`.
 * @throws RangeError if the key would be longer than 255 characters
 */
export function referenceKey(reference: string): string {
  const key = `reference:${encodeURIComponent(reference)}`;
  if (reference !== '' && key.length <= maxKeyLength) return key;
  throw new RangeError(
    `A reference must have 1 to ${maxKeyLength - 'reference:'.length} characters, each non-ASCII one counted as up to 12. Use a shorter reference, or an idempotencyKey.`,
  );
}

/** @throws TypeError for a key and a reference, RangeError for a reference that is too long */
export function keyOf({ idempotencyKey, reference }: OperationKey): string | undefined {
  if (reference === undefined) return idempotencyKey;
  if (idempotencyKey === undefined) return referenceKey(reference);
  throw new TypeError('Pass either an idempotencyKey or a reference.');
}

/** Returns the request body of `send`. */
export function sendBody(
  glo: Schemas['Glo'],
  { walletId, walletPassword, wallets, dependencies, intent, tag, deadline }: Sender & OperationOptions,
): Schemas['SendBody'] {
  return {
    ...{ walletId, walletPassword, glo },
    // Copies only the members that the service accepts.
    ...given({
      wallets: wallets?.map((one) => ({ walletId: one.walletId, walletPassword: one.walletPassword })),
      dependencies: dependencies && [...dependencies],
      ...{ intent, tag, deadline: deadline?.toISOString() },
    }),
  };
}

function locatorOf(place: Place): Schemas['GloLocator'] {
  if (typeof place === 'string')
    return { lookup_service: { type: 'service', value: 'service' }, resource: place };
  return { lookup_service: { type: 'ledger', value: place.ledger }, resource: place.address };
}

/**
 * Converts an argument to the service's format.
 * @throws RangeError if a number is not an exact integer
 */
function argumentText(value: Argument): string {
  if (typeof value === 'string') return value;
  const plain = plainOf(value);
  return typeof plain === 'string' ? plain : JSON.stringify(plain);
}

function plainOf(value: Argument): unknown {
  if (typeof value === 'number') {
    if (Number.isSafeInteger(value)) return value;
    throw new RangeError(
      `${value} is not an integer that a double represents exactly. Use a bigint or text.`,
    );
  }
  if (typeof value === 'bigint') {
    const number = Number(value);
    return Number.isSafeInteger(number) ? number : value.toString();
  }
  if (value instanceof Uint8Array) {
    return `0x${Array.from(value, (byte) => byte.toString(16).padStart(2, '0')).join('')}`;
  }
  if (Array.isArray(value)) return value.map(plainOf);
  if (typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, plainOf(item)]));
}
