import type { components } from './schema.generated.ts';

type Schemas = components['schemas'];

/** An accepted operation: it is stored, and will happen exactly once, or fail. */
export type Accepted = Schemas['ActionCreated'];

/** A wallet that signs, with its password. */
export interface Sender {
  readonly walletId: string;
  readonly walletPassword: string;
}

/** Members that every operation may have. */
export interface OperationOptions {
  /** Sent twice with the same key, an operation happens once. Absent: a new one for each call. */
  readonly idempotencyKey?: string;
  /** Ids of actions that must have SUCCEEDED before. */
  readonly dependencies?: readonly string[];
  /** A UUID that groups actions. */
  readonly intent?: string;
  readonly tag?: string;
  /** If it is not signed until then, it FAILS. */
  readonly deadline?: Date;
  /** Of one ledger's own, such as a fee, or the value that a payable method is given. */
  readonly meta?: Schemas['GloMeta'];
  /** The other wallets that `meta` names as signers or payers: each of them, and no other. */
  readonly wallets?: readonly Sender[];
  readonly signal?: AbortSignal;
}

/** A record of the service by its id; or by its address on a ledger of a technology, as `GET /v1/technologies` names it: `ethereum`. */
export type Place = string | { readonly ledger: string; readonly address: string };

/** An argument of a method: whole numbers, texts, bytes, and lists and objects of them. */
export type Argument =
  | string
  | bigint
  | number
  | boolean
  | Uint8Array
  | readonly Argument[]
  | { readonly [name: string]: Argument };

/** Native currency to an account. */
export interface Transfer extends Sender, OperationOptions {
  /** Id of a wallet, or an address. */
  readonly to: Place;
  /** In the ledger's smallest unit. */
  readonly amount: bigint | number | string;
}

/** A call of a method that changes something. */
export interface Call extends Sender, OperationOptions {
  /** Id of a registered contract, or an address; `action:<id>` is what that action deploys. */
  readonly contract: Place;
  /** Its name, or its signature where several have it. */
  readonly method: string;
  readonly args?: readonly Argument[];
}

/** A deployment. */
export interface Deployment extends Sender, OperationOptions {
  /** Id and version of a template: `token:1`. */
  readonly template: string;
  readonly args?: readonly Argument[];
}

/** A call that changes nothing, asked of the ledger as it is now. */
export interface Reading {
  readonly contract: Place;
  readonly method: string;
  readonly args?: readonly Argument[];
  /** From whose point of view. */
  readonly walletId?: string;
  readonly ledgerId?: string;
  readonly signal?: AbortSignal;
}

/** An operation that is tried and not sent. */
export interface Emulation {
  readonly glo: Schemas['Glo'];
  /** Who would sign it. */
  readonly walletId?: string;
  /** Asks the ledger as the wallet, where it makes a difference who asks. */
  readonly walletPassword?: string;
  /** Where there is no wallet. */
  readonly ledgerId?: string;
  readonly signal?: AbortSignal;
}

/** The end that an operation would come to, and its fee. */
export type Emulated = Schemas['Emulated'];

const version = '0.1.0';

/** A transfer as a generic ledger operation. @throws RangeError for an amount that is no whole number, or not exact */
export const transferGlo = ({
  to,
  amount,
  meta,
}: Pick<Transfer, 'to' | 'amount' | 'meta'>): Schemas['Glo'] => ({
  ...{ version, type: 'transfer' },
  options: { recipient: locatorOf(to), amount: argumentText(amount) },
  ...(meta === undefined ? {} : { meta }),
});

/** A call as a generic ledger operation. @throws RangeError for a number that is no whole one, or not exact */
export const callGlo = ({
  contract,
  method,
  args = [],
  meta,
}: Pick<Call, 'contract' | 'method' | 'args' | 'meta'>): Schemas['Glo'] => ({
  ...{ version, type: 'contract_call' },
  options: { contract_instance: locatorOf(contract), method_name: method, args: args.map(argumentText) },
  ...(meta === undefined ? {} : { meta }),
});

/** A deployment as a generic ledger operation. @throws RangeError for a number that is no whole one, or not exact */
export const deploymentGlo = ({
  template,
  args = [],
  meta,
}: Pick<Deployment, 'template' | 'args' | 'meta'>): Schemas['Glo'] => ({
  ...{ version, type: 'contract_deploy' },
  options: { contract_source: locatorOf(template), args: args.map(argumentText) },
  ...(meta === undefined ? {} : { meta }),
});

/** The body of `send`. */
export function sendBody(
  glo: Schemas['Glo'],
  { walletId, walletPassword, wallets, dependencies, intent, tag, deadline }: Sender & OperationOptions,
): Schemas['SendBody'] {
  return {
    ...{ walletId, walletPassword, glo },
    // Of what a caller hands over, only what the service takes.
    ...(wallets === undefined
      ? {}
      : { wallets: wallets.map((one) => ({ walletId: one.walletId, walletPassword: one.walletPassword })) }),
    ...(dependencies === undefined ? {} : { dependencies: [...dependencies] }),
    ...(intent === undefined ? {} : { intent }),
    ...(tag === undefined ? {} : { tag }),
    ...(deadline === undefined ? {} : { deadline: deadline.toISOString() }),
  };
}

function locatorOf(place: Place): Schemas['GloLocator'] {
  if (typeof place === 'string')
    return { lookup_service: { type: 'service', value: 'service' }, resource: place };
  return { lookup_service: { type: 'ledger', value: place.ledger }, resource: place.address };
}

/** An argument as the service takes it. @throws RangeError for a number that is no whole one, or not exact */
function argumentText(value: Argument): string {
  if (typeof value === 'string') return value;
  const plain = plainOf(value);
  return typeof plain === 'string' ? plain : JSON.stringify(plain);
}

function plainOf(value: Argument): unknown {
  if (typeof value === 'number') {
    if (Number.isSafeInteger(value)) return value;
    throw new RangeError(
      `${value} is no whole number that a double holds exactly: give a bigint, or a text.`,
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
