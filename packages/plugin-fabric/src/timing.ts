import type { Backoff } from '@ledger-ops/backoff';

/** How long a session waits and how often it asks, in milliseconds. What a ledger's properties say is not in here. */
export interface Timing {
  peers: {
    /** For which a peer that failed is asked after all others. */
    backoff: Backoff;
    /** For which any connection is waited for when no peer has one. */
    connect: number;
    /** Between two tries of gRPC to connect. */
    reconnect: Backoff;
    /** For which a peer that was dialled may say nothing before it is dialled anew. */
    handshake: number;
    /** Between two keep-alive pings, and until one without an answer ends the connection. */
    keepAlive: { interval: number; timeout: number };
  };
  endorsement: {
    /** Before endorsers that disagreed are asked again, once for each: the late one may have the last block by then. */
    disagreement: readonly number[];
    /** After which a call holds up no others: it is slow by itself. */
    slow: number;
    /** After which it is measured anew how many the peers work on at once. */
    measuredFor: number;
  };
  /** After which a proposal is made anew because of a read conflict: at least, and up to how much chance adds. */
  conflict: { least: number; random: Backoff };
  submit: {
    /** After which bytes that an orderer took are sent again: it may have lost them. */
    sendAgain: number;
    /** Until all peers have installed a package, which they unpack, and some build. */
    install: number;
  };
  /** For which nothing but refusals must come before they can prove that a transaction is never ordered. */
  neverOrdered: {
    /** Where they follow from the bytes and the channel's configuration; `commit_timeout` where that is longer. */
    byConfiguration: number;
    otherwise: number;
  };
  blocks: {
    /** Before a stream that ended is opened again. */
    backoff: Backoff;
    /** Between two looks whether a stream is stalled, at most. */
    stallCheck: number;
    /** After which a ledger whose blocks could not be followed is tried again. */
    follow: number;
  };
  backfill: {
    /** After which a transaction that a peer did not know is asked for again: the peer may have been behind the stream. */
    again: number;
    /** The same where no peer answered at all. */
    unanswered: number;
    /** For which a stream that ran before a transaction was sent is trusted to bring it. */
    trustStream: number;
  };
  outcomes: {
    /** Before a second peer that does not know a transaction is asked again; doubled up to `commit_timeout`. */
    agreement: number;
    /** For which a conflict waits for the host to show the bytes again, which it does every few seconds. */
    bytes: number;
  };
  /** For which a block that is not there may just be late, when an estimate names it. */
  lateBlock: number;
  /** After which a channel's configuration is read anew, beside what is under way. */
  configuration: number;
  /** A registrar's certificate that ends within this time is replaced. */
  registrarRenewal: number;
}

/** The times of a session that is given none. */
export const defaultTiming: Timing = {
  peers: {
    backoff: { first: 500, longest: 15_000 },
    connect: 2_000,
    reconnect: { first: 200, longest: 2_000 },
    handshake: 60_000,
    // Peers end connections that ping more often than once a minute (core.yaml, peer.keepalive.minInterval).
    keepAlive: { interval: 120_000, timeout: 20_000 },
  },
  endorsement: { disagreement: [100, 300, 900], slow: 500, measuredFor: 30_000 },
  conflict: { least: 20, random: { first: 200, longest: 4_000 } },
  submit: { sendAgain: 15_000, install: 120_000 },
  neverOrdered: { byConfiguration: 2_000, otherwise: 600_000 },
  blocks: { backoff: { first: 50, longest: 3_000 }, stallCheck: 1_000, follow: 1_000 },
  backfill: { again: 30_000, unanswered: 2_000, trustStream: 60_000 },
  outcomes: { agreement: 50, bytes: 30_000 },
  lateBlock: 60_000,
  configuration: 60_000,
  registrarRenewal: 60_000,
};
