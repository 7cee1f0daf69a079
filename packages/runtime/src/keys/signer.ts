import {
  type AdapterError,
  adapterError,
  type SigningRequest,
  type WalletIdentity,
} from '@ledger-ops/adapter';

export type Signature = Uint8Array;

/**
 * Signs for one wallet. `DatabaseKey` signs in this process with a key from the database; a client of a key service
 * could be another implementation. A signer is never serialized and never passed to an adapter.
 */
export interface Signer {
  /** Returns signatures in the order of the requests. @throws if a request names another curve or another wallet */
  sign(requests: readonly SigningRequest[]): Promise<Signature[]>;
  /**
   * Returns the bytes from which a grant can open this signer again: a key, or the location of a key. The grant stores
   * them encrypted, and the caller overwrites them.
   */
  reference(): Uint8Array;
  /** Destroys the signer: it can no longer sign, and the bytes of its key are overwritten. */
  destroy(): void;
}

/** A co-signing wallet of an operation, with its signer. */
export interface CoSigner {
  readonly walletUid: string;
  readonly wallet: WalletIdentity;
  readonly signer: Signer;
}

/**
 * Signs one action for the sending wallet and the co-signing wallets. Each signer signs only the requests for its own
 * wallet.
 */
export class ActionSigner {
  readonly sender: Signer;
  readonly coSigners: readonly CoSigner[];

  constructor(sender: Signer, coSigners: readonly CoSigner[] = []) {
    this.sender = sender;
    this.coSigners = coSigners;
  }

  /** Returns the co-signing wallets as a member of a request to an adapter, which is omitted if there are none. */
  get others(): { others?: WalletIdentity[] } {
    return this.coSigners.length === 0 ? {} : { others: this.coSigners.map(({ wallet }) => wallet) };
  }

  /** Like `Signer.sign`. A request that names no signer is for the sending wallet. */
  async sign(requests: readonly SigningRequest[]): Promise<Signature[]> {
    if (this.coSigners.length === 0) return this.sender.sign(requests);
    const signing = requests.map(({ signer, ...request }) => ({ by: this.#signerOf(signer), request }));
    const signatures = await Promise.all(signing.map(({ by, request }) => by.sign([request])));
    return signatures.flat();
  }

  destroy(): void {
    this.sender.destroy();
    for (const { signer } of this.coSigners) signer.destroy();
  }

  #signerOf(address: string | undefined): Signer {
    if (address === undefined) return this.sender;
    const found = this.coSigners.find(({ wallet }) => wallet.address === address);
    if (found === undefined) throw notNamed();
    return found.signer;
  }
}

/** Returns the error for a plugin that requests a signature from a wallet that the operation does not name. */
export function notNamed(): AdapterError {
  const detail =
    'The ledger plugin requested the signature of a wallet that the operation does not name. Nothing was signed.';
  return adapterError('adapter-fault', detail, { phase: 'prepare' });
}
