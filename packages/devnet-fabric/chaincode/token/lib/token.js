'use strict';

const { X509Certificate } = require('node:crypto');
const { Contract } = require('fabric-contract-api');

/**
 * A fungible token. An account is `<MSP id>/<common name>` of its owner's certificate, such as
 * `Org1MSP/alice`. Amounts are whole numbers in the smallest unit, as decimal strings.
 */
class Token extends Contract {
  constructor() {
    super('Token');
  }

  /** Sets the token's name, once. The caller becomes the minter. */
  async Initialize(ctx, name, symbol, decimals) {
    if ((await ctx.stub.getState('token')).length > 0) throw new Error('The token is already initialized');
    await ctx.stub.putState(
      'token',
      Buffer.from(JSON.stringify({ decimals, minter: account(ctx), name, symbol })),
    );
  }

  /** Mints tokens for the caller and returns the caller's balance. */
  async Mint(ctx, amount) {
    const token = await this.#token(ctx);
    const minter = account(ctx);
    if (token.minter !== minter) throw new Error(`Only ${token.minter} may mint, not ${minter}`);
    const value = positive(amount);
    const supply = await number(ctx, 'supply');
    const balance = (await number(ctx, balanceKey(ctx, minter))) + value;
    await store(ctx, 'supply', supply + value);
    await store(ctx, balanceKey(ctx, minter), balance);
    emit(ctx, { from: '', to: minter, value: String(value) });
    return String(balance);
  }

  /** Moves tokens from the caller to the recipient's account, and emits `Transfer`. */
  async Transfer(ctx, recipient, amount) {
    await this.#token(ctx);
    const sender = account(ctx);
    const to = checked(recipient);
    if (to === sender) throw new Error('Sender and recipient are the same account');
    const value = positive(amount);
    const balance = await number(ctx, balanceKey(ctx, sender));
    if (balance < value) throw new Error(`The balance of ${sender} is ${balance}, less than ${value}`);
    await store(ctx, balanceKey(ctx, sender), balance - value);
    await store(ctx, balanceKey(ctx, to), (await number(ctx, balanceKey(ctx, to))) + value);
    emit(ctx, { from: sender, to, value: String(value) });
    return true;
  }

  async BalanceOf(ctx, owner) {
    await this.#token(ctx);
    return String(await number(ctx, balanceKey(ctx, checked(owner))));
  }

  async ClientAccountID(ctx) {
    return account(ctx);
  }

  async ClientAccountBalance(ctx) {
    return await this.BalanceOf(ctx, account(ctx));
  }

  async TotalSupply(ctx) {
    await this.#token(ctx);
    return String(await number(ctx, 'supply'));
  }

  async TokenName(ctx) {
    return (await this.#token(ctx)).name;
  }

  async Symbol(ctx) {
    return (await this.#token(ctx)).symbol;
  }

  async Decimals(ctx) {
    return (await this.#token(ctx)).decimals;
  }

  async #token(ctx) {
    const bytes = await ctx.stub.getState('token');
    if (bytes.length === 0) throw new Error('The token is not initialized: call Initialize first');
    return JSON.parse(bytes.toString());
  }
}

/** The caller's account, from the certificate that signed the proposal. */
function account(ctx) {
  const certificate = new X509Certificate(Buffer.from(ctx.clientIdentity.getIDBytes()));
  const { CN } = certificate.toLegacyObject().subject;
  if (typeof CN !== 'string' || CN === '') throw new Error("The caller's certificate has no common name");
  return `${ctx.clientIdentity.getMSPID()}/${CN}`;
}

function checked(owner) {
  if (!/^[^/]+\/.+$/s.test(owner))
    throw new Error(`"${owner}" is not an account. Use <MSP id>/<common name>`);
  return owner;
}

function positive(amount) {
  if (!/^[0-9]{1,78}$/.test(amount) || BigInt(amount) === 0n)
    throw new Error(`"${amount}" is not an amount. Use a whole number above 0`);
  return BigInt(amount);
}

function balanceKey(ctx, owner) {
  return ctx.stub.createCompositeKey('balance', [owner]);
}

async function number(ctx, key) {
  return BigInt((await ctx.stub.getState(key)).toString() || '0');
}

async function store(ctx, key, value) {
  await ctx.stub.putState(key, Buffer.from(String(value)));
}

function emit(ctx, transfer) {
  ctx.stub.setEvent('Transfer', Buffer.from(JSON.stringify(transfer)));
}

module.exports.Token = Token;
