import type { EndProblem, PendingCode } from '@ledger-ops/runtime';
import type { RequestName } from './requests.ts';

/**
 * A step that a person can take, and its request. The request is null if the step is done outside this
 * service.
 */
export type Step = readonly [action: string, request: RequestName | null];

/** Why an action is pending, and what helps. */
export interface PendingText {
  /** Completes "It waits: …". */
  waits: string;
  /** Next steps, the best first; `explain` appends general steps for the stage. */
  next: readonly Step[];
}

const seeEarlier: Step = ['See which earlier actions of the wallet are pending.', 'earlier'];
const seePlugin: Step = ['See which plugin serves the ledger, and why other plugins do not.', 'plugin'];
const seeHealth: Step = ['See the status of the ledger and its nodes.', 'ledgerHealth'];
const raiseFee: Step = [
  'Request a higher fee. If no signing key is stored, the request needs the wallet’s password.',
  'hurry',
];

/** What an action waits for, and what the user can do about it, by the code of the pending reason. */
export const pendingTexts: Readonly<Record<PendingCode, PendingText>> = {
  dependencies: { waits: 'actions that it depends on have not succeeded yet', next: [] },
  suspended: {
    waits: 'the ledger, wallet or project is suspended',
    next: [
      [
        'See who suspended it and why, and ask them to resume it. It then continues automatically.',
        'suspensions',
      ],
    ],
  },
  turn: {
    waits: 'it is waiting to be prepared and signed; earlier actions of the wallet come first',
    next: [seeEarlier],
  },
  funds: {
    waits: 'the wallet holds less than the amount plus the maximum fee',
    next: [
      [
        'Send native currency to the wallet from another wallet. The action continues automatically when the currency has arrived.',
        'send',
      ],
    ],
  },
  'fee-cap': {
    waits: 'the ledger requires a higher fee than its caps allow',
    next: [
      ['Wait for the fee to fall. The action then continues automatically.', null],
      ['Raise the fee caps in the properties of the ledger.', 'ledger'],
    ],
  },
  approvals: {
    waits: 'other organizations have not approved it yet',
    next: [
      [
        'Ask each missing organization to send the same deployment from its own wallet. The action continues automatically when all have sent it.',
        'send',
      ],
    ],
  },
  refused: {
    waits: 'the ledger or a node rejects it at the moment; the service tries again',
    next: [seeHealth],
  },
  'earlier-actions': {
    waits: 'it would fail at the moment, but earlier pending actions of the wallet may change that',
    next: [seeEarlier],
  },
  'nonce-gap': {
    waits: 'the ledger is waiting for a transaction with an earlier nonce from the same wallet',
    next: [seeEarlier],
  },
  'ledger-unavailable': {
    waits: 'the ledger cannot be reached, or its nodes disagree',
    next: [seeHealth, ['Correct the properties of the ledger if they are wrong.', 'ledger']],
  },
  'plugin-unavailable': {
    waits: 'the plugin that it needs is not running on this server',
    next: [seePlugin, ['Activate or register the plugin again.', null]],
  },
  'plugin-fault': {
    waits: 'the plugin has a fault',
    next: [seePlugin, ['Ask the author of the plugin to fix the fault.', null]],
  },
  'next-transaction': {
    waits: 'one of the action’s transactions is finished, and the next one is created automatically',
    next: [],
  },
  confirmation: {
    waits: 'it is signed and sent, but not confirmed yet',
    next: [],
  },
  late: {
    waits:
      'the ledger has not confirmed it in time; depending on the ledger’s settings, the service raises the fee or gives the action up',
    next: [raiseFee, seeHealth],
  },
  expiring: {
    waits:
      'the transaction has expired or soon will; the service signs another one when the ledger can no longer execute it',
    next: [],
  },
  'ledger-remark': {
    waits: 'it has no outcome yet, for a reason that the ledger reports',
    next: [seeHealth],
  },
  'change-hindered': {
    waits:
      'a cancellation or a higher fee was requested, which is not possible at the moment; the service tries again',
    next: [['Request it again, with a higher maxFee if you set one.', 'hurry']],
  },
};

export interface EndText {
  /** Completes "It failed: …". */
  failed: string;
  next: readonly Step[];
}

const sendAgain: Step = ['Send it again as a new action.', 'send'];
const seeSigners: Step = ['Find out who else signs with the key of the wallet.', null];
const sendUnlessSame: Step = [
  'Send it again as a new action, unless the other transaction did the same.',
  'send',
];
/** Next steps for an action that was not signed but that the ledger may have executed. */
export const compareFirst: readonly Step[] = [
  ['Compare the action with the unknown transactions of the wallet.', 'unknown'],
  ['Send it again as a new action only if none of them executed it.', 'send'],
];
const sendMended: Step = ['Correct the operation and send it again as a new action.', 'send'];
const tryDry: Step = ['Use a dry run to find out what would succeed.', 'emulate'];

/** Why an action failed, and what the user can do about it, by the name of the problem. */
export const endTexts: Readonly<Record<EndProblem, EndText>> = {
  'invalid-request': {
    failed: 'the contract or the ledger does not accept an argument',
    next: [sendMended],
  },
  'unknown-method': { failed: 'the contract has no such method', next: [sendMended] },
  'unknown-contract': { failed: 'there is no contract at that address', next: [sendMended] },
  'not-permitted': {
    failed: 'it calls a system contract of the ledger, which this service does not allow',
    next: [['Query the system contract with a dry run, if you may inspect the ledger.', 'emulate']],
  },
  'unsupported-operation': {
    failed: 'the ledger does not support this operation',
    next: [
      ['See which operations the plugins of each technology support.', 'technologies'],
      ['Use an operation that the ledger supports, or a wallet on another ledger, in a new action.', 'send'],
    ],
  },
  'wrong-sender': { failed: 'meta names a sender that is not the wallet’s address', next: [sendMended] },
  'wrong-chain': { failed: 'meta names a chain other than that of the ledger', next: [sendMended] },
  'insufficient-funds': {
    failed: 'the wallet did not hold enough native currency',
    next: [['Send native currency to the wallet from another wallet.', 'send'], sendAgain],
  },
  'not-preparable': {
    failed:
      'no transaction could be created that the ledger accepts, or the stored signing key cannot be used',
    next: [tryDry, sendMended],
  },
  reverted: { failed: 'the contract rejected the call', next: [tryDry, sendMended] },
  'out-of-gas': {
    failed: 'the transaction ran out of gas',
    next: [
      [
        'Send it again as a new action. Set a higher gas limit in meta, or omit it so that the service estimates it.',
        'send',
      ],
    ],
  },
  'certificate-invalid': {
    failed: 'the wallet’s certificate cannot be used',
    next: [
      ['Get a new certificate from the CA of the wallet’s organization.', null],
      ['Create a wallet with the new certificate, and send the operation from that wallet.', 'send'],
    ],
  },
  'endorsement-failed': {
    failed: 'too few peers endorsed it, or their results differ',
    next: [tryDry, sendMended],
  },
  invalidated: {
    failed:
      'the ledger recorded the transaction as invalid: another transaction changed the data that it read, or the endorsement policy was not met',
    next: [sendAgain],
  },
  'approvals-missing': {
    failed: 'some organizations have not approved the deployment',
    next: [['Ask those organizations to send the same deployment, then send yours again.', 'send']],
  },
  'ledger-unavailable': { failed: 'the ledger could not be reached', next: [seeHealth, sendAgain] },
  'ledger-timeout': { failed: 'the ledger did not respond in time', next: [seeHealth, sendAgain] },
  'address-not-opened': {
    failed: 'a node of the ledger has a private address that this server does not allow',
    next: [['Add the address to the settings of the server.', null], sendAgain],
  },
  'plugin-fault': {
    failed: 'the plugin had a fault',
    next: [
      seePlugin,
      [
        'Ask the author of the plugin to fix the fault. Then send the operation again as a new action.',
        'send',
      ],
    ],
  },
  'dependency-failed': {
    failed: 'an action that it depends on failed',
    next: [['Send the failed action again, then send this one with a dependency on the new action.', 'send']],
  },
  'deadline-passed': {
    failed: 'the deadline passed before the action could be signed',
    next: [['Send it again as a new action with a later deadline.', 'send']],
  },
  'nonce-conflict': {
    failed: 'meta requires a nonce that is not the next free nonce of the wallet',
    next: [['Send it again as a new action without a nonce.', 'send']],
  },
  'nonce-taken': {
    failed:
      'a transaction from outside this service used the action’s nonce, and the action could not be signed again',
    next: [seeSigners, sendUnlessSame],
  },
  'claim-taken': {
    failed: 'another transaction spent what the action would spend, for example a coin of the wallet',
    next: [seeSigners, sendUnlessSame],
  },
  cancelled: { failed: 'it was canceled on request', next: [sendAgain] },
  dropped: {
    failed:
      'the ledger did not accept the transaction, and an empty transaction used its nonce so that the wallet’s next action could continue',
    next: [['Send it again as a new action with a higher fee.', 'send']],
  },
  expired: {
    failed: 'the ledger did not execute any of the action’s transactions before they expired',
    next: [seeHealth, sendAgain],
  },
  'chain-reset': {
    failed: 'the chain was reset, or a reorg removed its blocks, before the action was confirmed',
    next: [sendAgain],
  },
};
