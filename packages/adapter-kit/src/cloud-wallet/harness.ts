import type { ContractEvent } from '@ledger-ops/adapter';
import type { RemoteOperation } from '@ledger-ops/adapter/cloud-wallet';

/** Something that runs at a URL, and what the kit needs to use it. */
export interface CloudWalletHarness {
  /** The plugin's URL; the protocol's paths stand below it. */
  url: string;
  /** Sent with each request. */
  headers?: Readonly<Record<string, string>>;
  /** A ledger that the plugin serves. */
  ledgerId: string;
  /** Beside the secret, for each new wallet. */
  walletParameters?: Readonly<Record<string, string>>;
  /** How a wallet gets what the samples need: by the hook `fund`, from the start, or it is this one. */
  funded: 'by-hook' | 'from-the-start' | { walletId: string; secret: string };
  samples: {
    /** Executed by a funded wallet, many times over. */
    operation: RemoteOperation;
    /** Another one, for the same wallets. */
    other: RemoteOperation;
    /** Understood, but it cannot be done. */
    refused?: RemoteOperation;
    /** Has this result, and changes nothing. */
    view?: { operation: RemoteOperation; result: unknown };
    /**
     * Names as many other wallets, which sign too. Of the texts in its GLO `wallet:0` stands for the address of the sender,
     * `wallet:1` for that of the first other, and so on; `payer`: which of them pays the fee. Demanded where `coSigners` is
     * declared.
     */
    coSigned?: { operation: RemoteOperation; others: number; payer?: number };
    /** Makes the contract at this address tell one event, decoded as this; `silent`: another address, where nothing is told. */
    telling?: {
      operation: RemoteOperation;
      contractAddress: string;
      event: Pick<ContractEvent, 'name' | 'args'>;
      silent?: string;
    };
  };
  hooks?: {
    /** Gives an account what the samples need. */
    fund?(address: string): Promise<void>;
    /** Ends the plugin as a crash would, and starts it again on what it had stored. Its URL may change. */
    crash?(): Promise<{ url: string }>;
    /** Executions that the ledger itself counts for an account. */
    executions?(address: string): Promise<number>;
  };
  /** Is told each request with the status of its answer, in one line without secrets. */
  observe?(exchange: string): void;
  /** Milliseconds within which a transaction is final. Default 15,000. */
  patience?: number;
  close(): Promise<void>;
}
