import type { Backoff } from '@ledger-ops/base/backoff';

/** Times and intervals of a session, in milliseconds, except those set by ledger properties. */
export interface Timing {
  peers: {
    /** How long all other peers are preferred to a failed peer. */
    backoff: Backoff;
    /** How long to wait until any peer is connected, if none is. */
    connect: number;
    /** Delay between gRPC's connection attempts. */
    reconnect: Backoff;
    /** How long a peer may be silent during the handshake before it is dialed again. */
    handshake: number;
    /** Interval of keep-alive pings, and the time after which an unanswered ping closes the connection. */
    keepAlive: { interval: number; timeout: number };
  };
  endorsement: {
    /**
     * Delays before endorsers that disagreed are queried again, one per retry. By then, the one that is
     * behind may have received the last block.
     */
    disagreement: readonly number[];
    /**
     * Duration after which a running endorsement no longer counts toward the concurrency limit, so slow
     * chaincode does not delay other calls.
     */
    slow: number;
    /** Duration after which the concurrency limit of peers is measured again. */
    measuredFor: number;
  };
  /** Delay before a new proposal after a read conflict: minimum, and range of the random addition. */
  conflict: { least: number; random: Backoff };
  submit: {
    /** Delay before bytes that an orderer accepted are sent again, because the orderer may have lost them. */
    sendAgain: number;
    /** Time limit for installing a package on all peers. Peers unpack it, and some build it. */
    install: number;
  };
  /** Time during which every answer must be a refusal, so that the transaction counts as never ordered. */
  neverOrdered: {
    /** For refusals that follow from the bytes and the channel configuration; `commit_timeout` if that is longer. */
    byConfiguration: number;
    otherwise: number;
  };
  blocks: {
    /** Delay before an ended stream is opened again. */
    backoff: Backoff;
    /** Maximum interval between checks for a stalled stream. */
    stallCheck: number;
    /** Delay before the session tries again to follow a ledger's blocks. */
    follow: number;
  };
  backfill: {
    /**
     * Delay before a transaction that a peer did not know is queried again. The peer may have been behind the
     * stream.
     */
    again: number;
    /** Delay before a transaction about which no peer answered is queried again. */
    unanswered: number;
    /** How long the stream is trusted to deliver a transaction that was sent while the stream was running. */
    trustStream: number;
    /** Time after which a call of `confirm` begins no more queries. */
    reading: number;
  };
  outcomes: {
    /**
     * Initial delay between queries to other peers for a transaction that they do not know yet. Doubles up to
     * `commit_timeout`.
     */
    agreement: number;
    /**
     * Time limit for the host to pass a transaction's bytes again after a conflict. The host passes them
     * every few seconds.
     */
    bytes: number;
  };
  /** How long a block that an estimate requires is considered late. After that, it is considered missing. */
  lateBlock: number;
  /** Age after which a channel configuration is read again in the background. */
  configuration: number;
  /** Time before its expiry at which a registrar's certificate is replaced. */
  registrarRenewal: number;
}

/** The default times of a session. */
export const defaultTiming: Timing = {
  peers: {
    backoff: { first: 500, longest: 15_000 },
    connect: 2_000,
    reconnect: { first: 200, longest: 2_000 },
    handshake: 60_000,
    // Peers close connections that ping more often than once a minute (core.yaml, peer.keepalive.minInterval).
    keepAlive: { interval: 120_000, timeout: 20_000 },
  },
  endorsement: { disagreement: [100, 300, 900], slow: 500, measuredFor: 30_000 },
  conflict: { least: 20, random: { first: 200, longest: 4_000 } },
  submit: { sendAgain: 15_000, install: 120_000 },
  neverOrdered: { byConfiguration: 2_000, otherwise: 600_000 },
  blocks: { backoff: { first: 50, longest: 3_000 }, stallCheck: 1_000, follow: 1_000 },
  backfill: { again: 30_000, unanswered: 2_000, trustStream: 60_000, reading: 5_000 },
  outcomes: { agreement: 50, bytes: 30_000 },
  lateBlock: 60_000,
  configuration: 60_000,
  registrarRenewal: 60_000,
};
