import type { Base58 } from '../base58.ts';
import type { View } from '../chain/chain.ts';
import { faucetLamports } from '../chain/faucet.ts';
import { accountAnswer, accountFilter, accountViewOf } from '../rpc/account-answers.ts';
import { codes, invalid, RpcError } from '../rpc/error.ts';
import { address, flag, object, viewOf } from '../rpc/params.ts';
import { readMint, readTokenAccount, tokenAmount, tokenPrograms } from '../transactions/tokens.ts';
import { type Method, withContext } from './node.ts';

const mostAccounts = 100;

/** Methods that read accounts. */
export const accountMethods: Record<string, Method> = {
  getBalance({ chain }, params) {
    const view = viewOf(chain, params.config(1));
    return withContext(view, view.bank.balance(params.address(0, 'the address')));
  },

  getAccountInfo({ chain }, params) {
    const config = params.config(1);
    const view = viewOf(chain, config);
    const account = view.bank.get(params.address(0, 'the address'));
    return withContext(view, accountAnswer(account, accountViewOf(config), view.bank));
  },

  getMultipleAccounts({ chain }, params) {
    const config = params.config(1);
    const view = viewOf(chain, config);
    const shown = accountViewOf(config, 'base64');
    const addresses = params
      .list(0, 'the list of addresses', mostAccounts)
      .map((one, index) => address(one, `address ${index}`));
    return withContext(
      view,
      addresses.map((one) => accountAnswer(view.bank.get(one), shown, view.bank)),
    );
  },

  getProgramAccounts({ chain }, params) {
    const config = params.config(1);
    const view = viewOf(chain, config);
    const filter = accountFilter(config.filters);
    const shown = accountViewOf(config);
    const found = view.bank
      .programAccounts(params.address(0, 'the program'))
      .filter(([, account]) => filter(account))
      .map(([pubkey, account]) => ({ pubkey, account: accountAnswer(account, shown, view.bank) }));
    return flag(config, 'withContext') ? withContext(view, found) : found;
  },

  getTokenAccountBalance({ chain }, params) {
    const view = viewOf(chain, params.config(1));
    const account = view.bank.get(params.address(0, 'the token account'));
    if (account === undefined) throw notFound('could not find account');
    const token = readTokenAccount(account);
    if (token === undefined) throw notFound('not a Token account');
    return withContext(view, tokenAmount(token.amount, mintOf(view, token.mint).decimals));
  },

  getTokenAccountsByOwner({ chain }, params) {
    const config = params.config(2);
    const view = viewOf(chain, config);
    const owner = params.address(0, 'the owner');
    const filter = object(params.at(1), 'the filter');
    const shown = accountViewOf(config);
    let programs: readonly Base58[] = [];
    let mint: Base58 | undefined;
    if (filter.mint !== undefined) {
      mint = address(filter.mint, 'mint');
      mintOf(view, mint);
      programs = tokenPrograms;
    } else if (filter.programId !== undefined) {
      const program = address(filter.programId, 'programId');
      if (!tokenPrograms.includes(program)) throw notFound('unrecognized Token program id');
      programs = [program];
    } else throw invalid('the filter must be a mint or a programId');
    const found = programs
      .flatMap((program) => view.bank.programAccounts(program))
      .filter(([, account]) => {
        const token = readTokenAccount(account);
        return token?.owner === owner && (mint === undefined || token.mint === mint);
      })
      .map(([pubkey, account]) => ({ pubkey, account: accountAnswer(account, shown, view.bank) }));
    return withContext(view, found);
  },

  getTokenSupply({ chain }, params) {
    const view = viewOf(chain, params.config(1));
    const { supply, decimals } = mintOf(view, params.address(0, 'the mint'));
    return withContext(view, tokenAmount(supply, decimals));
  },

  getMinimumBalanceForRentExemption({ chain }, params) {
    const { bank } = viewOf(chain, params.config(1));
    return bank.rentExempt(BigInt(params.integer(0, 'the size')));
  },

  getSupply({ chain }, params) {
    const config = params.config(0);
    const view = viewOf(chain, config);
    const nonCirculating = view.bank.balance(chain.faucet.address);
    const withoutList = flag(config, 'excludeNonCirculatingAccountsList');
    return withContext(view, {
      total: faucetLamports,
      circulating: faucetLamports - nonCirculating,
      nonCirculating,
      nonCirculatingAccounts: withoutList ? [] : [chain.faucet.address],
    });
  },
};

const notFound = (why: string) => new RpcError(codes.params, `Invalid param: ${why}`);

function mintOf({ bank }: View, mint: Base58) {
  const account = bank.get(mint);
  if (account === undefined) throw notFound('could not find mint');
  const found = readMint(account);
  if (found === undefined) throw notFound('not a Token mint');
  return found;
}
