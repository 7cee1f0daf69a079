import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useCreation } from '../../api/create.ts';
import { ledgersQuery, queries, technologiesQuery } from '../../api/queries.ts';
import type { Schemas } from '../../api/types.ts';
import { keyImports, pluginParameters, type WalletParameter } from '../../lib/wallet-parameters.ts';
import { Choice, Input, Select, TextArea } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { ProblemNote } from '../../ui/problem.tsx';
import { SecretArea } from '../../ui/secret-fields.tsx';
import { NewPassword } from '../wallet/new-password.tsx';

/** Creates a wallet with a new or an imported key. */
export function NewWallet({ close }: { close: () => void }) {
  const ledgers = useQuery(ledgersQuery());
  const technologies = useQuery(technologiesQuery());
  const [ledgerId, setLedgerId] = useState('');
  const [walletId, setWalletId] = useState('');
  const [walletPassword, setWalletPassword] = useState('');
  // The entered parameters belong to one ledger. They may be secrets, so they must not be sent to another ledger's
  // plugin.
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
    // Sends only parameters that are shown.
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
      about="The wallet’s key is encrypted with the password. If you lose the password, you lose the wallet: nobody can restore it."
      confirm={chosen === undefined ? 'Create the wallet' : 'Import the wallet'}
      request={make}
      submit={submit}
      close={close}
    >
      {technologies.isError ? <ProblemNote error={technologies.error} canRetry /> : null}
      <Choice
        label="Ledger"
        at="/ledgerId"
        value={ledgerId}
        set={(text) => {
          setLedgerId(text);
          setGiven({ source: '', texts: {} });
        }}
        options={ledgers.data?.map(({ ledgerId: id, name }) => [id, name])}
      />
      <Input
        label="Name"
        at="/walletId"
        required
        maxLength={64}
        pattern="[A-Za-z0-9._\-]+"
        hint="Operations and lists show it. Letters, digits, dots, hyphens and underscores."
        title="Letters, digits, dots, hyphens and underscores."
        value={walletId}
        set={setWalletId}
      />
      <NewPassword
        at="/pluginParameters/walletPassword"
        password={walletPassword}
        change={setWalletPassword}
      />
      {imports.length === 0 ? null : (
        <Select
          label="Key"
          value={source}
          set={(text) => setGiven({ source: text, texts: {} })}
          options={imports.map(({ name, title }) => [name, `Import ${title}`])}
        >
          <option value="">Generate a new key</option>
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
  parameter: { name, label, hint, isSecret, isLong, isRequired },
  value,
  set,
}: {
  parameter: WalletParameter;
  value: string;
  set: (text: string) => void;
}) {
  const about = { label, hint, required: isRequired, value, at: `/pluginParameters/${name}` };
  if (isLong) {
    const Area = isSecret ? SecretArea : TextArea;
    return <Area {...about} set={set} />;
  }
  return <Input {...about} type={isSecret ? 'password' : 'text'} autoComplete="off" set={set} />;
}
