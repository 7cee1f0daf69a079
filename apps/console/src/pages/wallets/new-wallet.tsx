import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useCreation } from '../../api/create.ts';
import { ledgersQuery, queries, technologiesQuery } from '../../api/queries.ts';
import type { Schemas } from '../../api/types.ts';
import { keyImports, pluginParameters, type WalletParameter } from '../../lib/wallet-parameters.ts';
import { Input, Select, TextArea } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { ProblemNote } from '../../ui/problem.tsx';
import { SecretArea } from '../../ui/secret-fields.tsx';
import { NewPassword } from '../wallet/new-password.tsx';

/** Makes a wallet with a new key, or with one that exists. */
export function NewWallet({ close }: { close: () => void }) {
  const ledgers = useQuery(ledgersQuery());
  const technologies = useQuery(technologiesQuery());
  const [ledgerId, setLedgerId] = useState('');
  const [walletId, setWalletId] = useState('');
  const [walletPassword, setWalletPassword] = useState('');
  // Of one ledger: another one's plugin is told nothing of them.
  const [given, setGiven] = useState({ source: '', texts: {} as Readonly<Record<string, string>> });
  const { source, texts } = given;
  const ledger = ledgers.data?.find((one) => one.ledgerId === ledgerId);
  const technology = technologies.data?.find(({ name }) => name === ledger?.technology);
  const imports = technology === undefined ? [] : keyImports(technology);
  const chosen = imports.find(({ name }) => name === source);
  const described = technology === undefined ? [] : pluginParameters(technology);
  const parameters = [...(chosen?.parameters ?? []), ...described];
  const make = useCreation<Schemas['WalletCreated']>('/v1/cloud-wallet/wallets', async () => {
    close();
    await queries.invalidateQueries({ queryKey: ['wallets'] });
  });
  const submit = () => {
    // Those that are shown.
    const filled = parameters.flatMap(({ name }) => {
      const value = texts[name] ?? '';
      return value === '' ? [] : [[name, value]];
    });
    make.mutate({
      ...{ walletId, ledgerId },
      pluginParameters: { walletPassword, ...Object.fromEntries(filled) },
    });
  };
  return (
    <FormDialog
      title="New wallet"
      about="Its key is sealed under the password. Whoever loses it loses the wallet: nobody can restore it."
      confirm={chosen === undefined ? 'Create the wallet' : 'Import the wallet'}
      request={make}
      submit={submit}
      close={close}
    >
      {technologies.isError ? <ProblemNote error={technologies.error} canRetry /> : null}
      <Select
        label="Ledger"
        required
        value={ledgerId}
        onChange={({ target }) => {
          setLedgerId(target.value);
          setGiven({ source: '', texts: {} });
        }}
      >
        <option value="">Choose…</option>
        {ledgers.data?.map(({ ledgerId: id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </Select>
      <Input
        label="Name"
        required
        maxLength={64}
        pattern="[A-Za-z0-9._\-]+"
        title="Letters, digits, dots, hyphens and underscores."
        value={walletId}
        onChange={({ target }) => setWalletId(target.value)}
      />
      <NewPassword password={walletPassword} change={setWalletPassword} />
      {imports.length === 0 ? null : (
        <Select
          label="Key"
          value={source}
          onChange={({ target }) => setGiven({ source: target.value, texts: {} })}
        >
          <option value="">A new one is made</option>
          {imports.map(({ name, title }) => (
            <option key={name} value={name}>
              {title} is imported
            </option>
          ))}
        </Select>
      )}
      {parameters.map((parameter) => (
        <ParameterField
          key={parameter.name}
          parameter={parameter}
          value={texts[parameter.name] ?? ''}
          set={(text) => setGiven({ source, texts: { ...texts, [parameter.name]: text } })}
        />
      ))}
    </FormDialog>
  );
}

function ParameterField({
  parameter: { label, hint, isSecret, isLong, isRequired },
  value,
  set,
}: {
  parameter: WalletParameter;
  value: string;
  set: (text: string) => void;
}) {
  const about = { label, hint, required: isRequired, value };
  if (isLong) {
    const Area = isSecret ? SecretArea : TextArea;
    return <Area {...about} onChange={({ target }) => set(target.value)} />;
  }
  return (
    <Input
      {...about}
      type={isSecret ? 'password' : 'text'}
      autoComplete="off"
      onChange={({ target }) => set(target.value)}
    />
  );
}
