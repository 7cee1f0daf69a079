import type { ContractEvent } from '@ledger-ops/adapter';
import type { RemoteOperation } from '@ledger-ops/adapter/cloud-wallet';

/** A running plugin, and the data that the kit needs to test it. */
export interface CloudWalletHarness {
  /** The plugin's URL. The protocol's paths are relative to it. */
  url: string;
  /** Headers of each request. */
  headers?: Readonly<Record<string, string>>;
  /** A ledger that the plugin serves. */
  ledgerId: string;
  /** Parameters for each new wallet, in addition to the secret. */
  walletParameters?: Readonly<Record<string, string>>;
  /**
   * How wallets get the funds that the samples need: from the hook `fund`; from the start; or not at all,
   * because all checks use one wallet that has funds.
   */
  funded: 'by-hook' | 'from-the-start' | { walletId: string; secret: string };
  samples: {
    /** The operation that the kit executes many times with a funded wallet. */
    operation: RemoteOperation;
    /** Another operation for the same wallets, with different content. */
    other: RemoteOperation;
    /**
     * One operation of each other type that the plugin declares. The kit executes each once with a funded
     * wallet.
     */
    transfer?: RemoteOperation;
    call?: RemoteOperation;
    deploy?: RemoteOperation;
    /**
     * The amounts that one execution of `operation` adds to the numbers that the hook `state` returns. `wallet:0` stands for the
     * sender's address. Omit accounts that pay fees, because fees differ.
     */
    effects?: readonly { account: string; adds: string }[];
    /** A valid operation that cannot be executed. */
    refused?: RemoteOperation;
    /** An operation that reads without changing anything, and its expected result. */
    view?: { operation: RemoteOperation; result: unknown };
    /**
     * An operation that names `others` additional wallets, which also sign. In its GLO, the string `wallet:0`
     * stands for the sender's address, and `wallet:1` for that of the first other wallet. `payer` is the
     * index of the wallet that pays the fee. Required if `coSigners` is declared.
     */
    coSigned?: { operation: RemoteOperation; others: number; payer?: number };
    /**
     * An operation that makes the contract at `contractAddress` emit one event, and the decoded `event`. `silentAddress`:
     * another address, which emits no events.
     */
    emitting?: {
      operation: RemoteOperation;
      contractAddress: string;
      event: Pick<ContractEvent, 'name' | 'args'>;
      silentAddress?: string;
    };
  };
  hooks?: {
    /** Gives an account the funds that the samples need. */
    fund?(address: string): Promise<void>;
    /** Kills the plugin, as a crash would, and restarts it with its stored data. Its URL may change. */
    crash?(): Promise<{ url: string }>;
    /**
     * State of an account, read from the ledger rather than from the plugin: a whole number such as the
     * balance, or a string that changes with each operation and does not contain the address.
     */
    state?(address: string): Promise<string>;
    /** Number of executions for an account, read from the ledger itself. */
    executions?(address: string): Promise<number>;
  };
  /** Called with one line per request: the request and the status of its response, without secrets. */
  observe?(exchange: string): void;
  /** Maximum time until a transaction is final, in milliseconds. Default 15,000. */
  patience?: number;
  close(): Promise<void>;
}
