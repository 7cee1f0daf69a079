import { addressOf } from '../base58.ts';
import type { AccountState, Bank } from '../runtime/bank.ts';
import { readNonce } from '../transactions/nonce.ts';
import { readMint, readTokenAccount, tokenAmount, tokenPrograms } from '../transactions/tokens.ts';

interface ParsedAccount {
  program: string;
  parsed: { type: string; info: unknown };
}

const lookupTableProgram = 'AddressLookupTab1e1111111111111111111111111';

/** Parsed content of the supported account types; undefined for others, which are returned as base64. */
export function parseAccount(account: AccountState, bank: Bank): ParsedAccount | undefined {
  return parseToken(account, bank) ?? parseNonce(account) ?? parseLookupTable(account);
}

function parseToken(account: AccountState, bank: Bank): ParsedAccount | undefined {
  const program = account.owner === tokenPrograms[0] ? 'spl-token' : 'spl-token-2022';
  const mint = readMint(account);
  if (mint !== undefined) {
    const info = {
      mintAuthority: mint.mintAuthority ?? null,
      supply: String(mint.supply),
      decimals: mint.decimals,
      isInitialized: true,
      freezeAuthority: mint.freezeAuthority ?? null,
    };
    return { program, parsed: { type: 'mint', info } };
  }
  const token = readTokenAccount(account);
  const decimals = token && readMint(bank.get(token.mint))?.decimals;
  if (token === undefined || decimals === undefined) return undefined;
  const info = {
    mint: token.mint,
    owner: token.owner,
    tokenAmount: tokenAmount(token.amount, decimals),
    state: token.state,
    isNative: token.native !== undefined,
    ...(token.native === undefined ? {} : { rentExemptReserve: tokenAmount(token.native, decimals) }),
    ...(token.delegate === undefined
      ? {}
      : { delegate: token.delegate, delegatedAmount: tokenAmount(token.delegatedAmount, decimals) }),
    ...(token.closeAuthority === undefined ? {} : { closeAuthority: token.closeAuthority }),
  };
  return { program, parsed: { type: 'account', info } };
}

function parseNonce(account: AccountState): ParsedAccount | undefined {
  const nonce = readNonce(account);
  if (nonce === undefined) return undefined;
  const info = {
    authority: nonce.authority,
    blockhash: nonce.value,
    feeCalculator: { lamportsPerSignature: String(nonce.lamportsPerSignature) },
  };
  return { program: 'nonce', parsed: { type: 'initialized', info } };
}

function parseLookupTable({ owner, data: bytes }: AccountState): ParsedAccount | undefined {
  const data = Buffer.from(bytes);
  if (owner !== lookupTableProgram || data.length < 56 || data.readUInt32LE(0) !== 1) return undefined;
  const addresses = Array.from({ length: Math.floor((data.length - 56) / 32) }, (_, index) =>
    addressOf(data.subarray(56 + 32 * index, 88 + 32 * index)),
  );
  const info = {
    addresses,
    deactivationSlot: String(data.readBigUInt64LE(4)),
    lastExtendedSlot: String(data.readBigUInt64LE(12)),
    lastExtendedSlotStartIndex: data[20],
    ...(data[21] === 1 ? { authority: addressOf(data.subarray(22, 54)) } : {}),
  };
  return { program: 'address-lookup-table', parsed: { type: 'lookupTable', info } };
}
