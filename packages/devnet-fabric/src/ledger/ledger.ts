import { common, peer } from '@hyperledger/fabric-protos';
import type { Membership } from '../identity/membership.ts';
import type { OwnSignatures } from '../identity/own-signatures.ts';
import { lastConfigOf, setValidationCodes } from '../messages/block.ts';
import type { EndorsedAction, Sealed } from '../messages/transaction.ts';
import { configOf, revocationListsOf } from '../system/configuration.ts';
import { createDefinitions, type Definitions, lifecycleNamespace } from '../system/definitions.ts';
import { type Chain, chainOf } from './chain.ts';
import { conflictOf } from './conflicts.ts';
import type { Connection } from './database.ts';
import { type Snapshot, takeSnapshot } from './snapshot.ts';
import { type State, stateOf } from './state.ts';
import { type ValidationContext, validate } from './validate.ts';

/** An envelope to be included in a block. */
export interface Ordered {
  bytes: Uint8Array;
  sealed: Sealed;
  /** Whether the orderer verified the creator's signature. */
  verified: boolean;
}

/** One channel's chain and state, shared by all peers. */
export interface Ledger {
  channel: string;
  chain: Chain;
  definitions: Definitions;
  /**
   * Returns the height after the last block that changed an approval or a definition. Lower after a restart,
   * until it is computed again.
   */
  lifecycleHeight(): number;
  /** Returns the last configuration block; undefined before the first block. */
  configBlock(): common.Block | undefined;
  snapshot(blocksBehind?: number): Snapshot;
  /**
   * Validates the block's transactions, writes the block and its state changes in one database transaction,
   * and calls the listeners.
   */
  commit(block: common.Block, transactions: readonly Ordered[]): void;
  /** Registers a callback for each commit. Returns a function that removes it. */
  onCommit(listener: () => void): () => void;
}

export interface LedgerOptions {
  channel: string;
  organizations: readonly string[];
  membership: Membership;
  own: OwnSignatures;
}

/** Opens the ledger stored in a database. */
export function openLedger(connection: Connection, options: LedgerOptions): Ledger {
  const chain = chainOf(connection);
  const state = stateOf(connection);
  const definitions = createDefinitions(options.organizations);
  const context: ValidationContext = { ...options, chain, state, definitions };
  const listeners = new Set<() => void>();
  let lifecycleHeight = chain.height();

  const write = connection.transaction((block: common.Block, transactions: readonly Ordered[]) => {
    const number = chain.height();
    const results = transactions.map((one, position) => settle(one, number, position, context, state));
    setValidationCodes(
      block,
      results.map(({ code }) => code),
    );
    chain.append(block, filteredBlock(options.channel, number, results));
    const changes = results.some(({ action }) =>
      action?.sets?.some(({ namespace, writes }) => namespace === lifecycleNamespace && writes.length > 0),
    );
    if (changes) lifecycleHeight = number + 1;
  });

  function configBlock(): common.Block | undefined {
    const last = chain.block(chain.height() - 1)?.block;
    return last && chain.block(lastConfigOf(last))?.block;
  }

  function applyConfig(): void {
    const block = configBlock();
    if (block !== undefined) options.membership.setRevocationLists(revocationListsOf(configOf(block)));
  }

  applyConfig();
  return {
    channel: options.channel,
    chain,
    configBlock,
    definitions,
    lifecycleHeight: () => lifecycleHeight,
    snapshot: (blocksBehind = 0) => takeSnapshot(state, chain.height() - blocksBehind, () => chain.height()),
    commit: (block, transactions) => {
      write(block, transactions);
      if (lastConfigOf(block) === chain.height() - 1) applyConfig();
      for (const listener of [...listeners]) listener();
    },
    onCommit: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

interface Settled {
  txId: string;
  type: number;
  code: number;
  action: EndorsedAction | undefined;
}

function settle(
  { sealed, verified }: Ordered,
  block: number,
  position: number,
  context: ValidationContext,
  state: State,
): Settled {
  const { channelHeader } = sealed;
  const txId = channelHeader.getTxId();
  const type = channelHeader.getType();
  // Only this process sends configurations: the orderer accepts none from clients.
  if (type === common.HeaderType.CONFIG)
    return { txId, type, code: peer.TxValidationCode.VALID, action: undefined };
  const verdict = validate(sealed, verified, context);
  const sets = verdict.action?.sets ?? [];
  const code = verdict.code === peer.TxValidationCode.VALID ? conflictOf(state, sets) : verdict.code;
  context.chain.index(txId, { block, position, code });
  if (code === peer.TxValidationCode.VALID) {
    // The timestamp is from the client's clock and untrusted; an invalid date becomes 0.
    const time = channelHeader.getTimestamp()?.toDate().getTime() || 0;
    const writer = { version: { block, position }, txId, time };
    for (const { namespace, writes } of sets)
      for (const { key, value } of writes) state.write(namespace, key, value, writer);
    if (verdict.action?.event !== undefined) context.chain.addEvent(block, position, verdict.action.event);
  }
  return { txId, type, code, action: verdict.action };
}

/**
 * Returns the block for clients that may not see the whole {@link common.Block}: only ids, codes and event
 * names.
 */
function filteredBlock(channel: string, number: number, results: readonly Settled[]): peer.FilteredBlock {
  const filtered = new peer.FilteredBlock();
  filtered.setChannelId(channel);
  filtered.setNumber(number);
  for (const { txId, type, code, action } of results) {
    const transaction = new peer.FilteredTransaction();
    transaction.setTxid(txId);
    transaction.setType(headerType(type));
    transaction.setTxValidationCode(validationCode(code));
    if (type === common.HeaderType.ENDORSER_TRANSACTION) {
      const actions = new peer.FilteredTransactionActions();
      if (action?.event !== undefined) {
        const event = new peer.ChaincodeEvent();
        event.setTxId(action.event.getTxId());
        event.setChaincodeId(action.event.getChaincodeId());
        event.setEventName(action.event.getEventName());
        const one = new peer.FilteredChaincodeAction();
        one.setChaincodeEvent(event);
        actions.addChaincodeActions(one);
      }
      transaction.setTransactionActions(actions);
    }
    filtered.addFilteredTransactions(transaction);
  }
  return filtered;
}

type HeaderType = ReturnType<peer.FilteredTransaction['getType']>;
type ValidationCode = ReturnType<peer.FilteredTransaction['getTxValidationCode']>;

function headerType(value: number): HeaderType {
  return Object.values(common.HeaderType).find((known) => known === value) ?? common.HeaderType.MESSAGE;
}

/** Casts a code to the generated enum type. */
export function validationCode(value: number): ValidationCode {
  return (
    Object.values(peer.TxValidationCode).find((known) => known === value) ??
    peer.TxValidationCode.INVALID_OTHER_REASON
  );
}
