import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { constructorQuery, templatesQuery, versionsQuery } from '../../api/templates.ts';
import type { FirstValues } from '../../lib/first-values.ts';
import { named } from '../../lib/interface.ts';
import { Choice, Input } from '../../ui/field.tsx';
import { ProblemNote } from '../../ui/problem.tsx';
import { Arguments, soundArguments } from './arguments.tsx';
import { OperationForm } from './operation-form.tsx';
import type { Sender } from './sender.ts';

export function DeployForm({ sender, first }: { sender: Sender; first: FirstValues }) {
  const templates = useQuery(templatesQuery());
  const [firstTemplate = '', firstVersion] = first.template?.split(':') ?? [];
  const [templateId, setTemplateId] = useState(firstTemplate);
  /** If no version is given, the newest is deployed. */
  const [chosen, setChosen] = useState<{ version: string | undefined; values: readonly string[] }>({
    version: firstVersion,
    values: first.args ?? [],
  });
  const versions = useQuery({ ...versionsQuery(templateId), enabled: templateId !== '' });
  const template = templates.data?.find((one) => one.templateId === templateId);
  const [typedName, setTypedName] = useState<string>();
  const name = typedName ?? template?.name ?? '';
  const technology = sender.target?.ledger.technology;
  const usable = versions.data?.filter(
    (one) => one.status === 'COMPILED' && (technology === undefined || one.technology === technology),
  );
  const newest = chosen.version === undefined ? usable?.at(-1) : undefined;
  const version = (newest ?? usable?.find((one) => one.version === chosen.version))?.version ?? '';
  const inputs = useQuery(constructorQuery(templateId, version));
  const parameters = named(inputs.data ?? []);
  const args = soundArguments(parameters, chosen.values);
  const options =
    version === '' || inputs.data === undefined || args === undefined
      ? undefined
      : {
          contract_source: {
            lookup_service: { type: 'service', value: 'service' },
            resource: `${templateId}:${version}`,
          },
          args,
        };
  return (
    <OperationForm
      type="contract_deploy"
      first={first}
      sender={sender}
      options={options}
      registration={name.trim() === '' ? undefined : { name: name.trim() }}
      summary={[
        ['Template', template?.name],
        ['Version', version],
        ['Name', name.trim()],
        ...parameters.map((parameter, index) => [parameter.name, args?.[index] ?? ''] as const),
      ]}
    >
      {templates.isError ? <ProblemNote error={templates.error} canRetry /> : null}
      <Choice
        label="Template"
        at="/glo/options/contract_source"
        value={templateId}
        set={(text) => {
          setTemplateId(text);
          setChosen({ version: undefined, values: [] });
        }}
        options={templates.data?.map(({ templateId: id, name }) => [id, name])}
      />
      <Choice
        label="Version"
        value={version}
        set={(text) => setChosen({ version: text, values: [] })}
        options={usable?.map((one) => [one.version, one.version])}
      />
      <Input
        label="Name of the contract"
        hint="Lists show this name."
        at="/registration/name"
        maxLength={200}
        autoComplete="off"
        value={name}
        set={setTypedName}
      />
      {versions.isError ? <ProblemNote error={versions.error} canRetry /> : null}
      {inputs.isError ? <ProblemNote error={inputs.error} canRetry /> : null}
      <Arguments
        key={`${templateId}:${version}`}
        parameters={parameters}
        values={chosen.values}
        ledgerId={sender.target?.wallet.ledgerId}
        change={(values) => setChosen({ ...chosen, values })}
      />
    </OperationForm>
  );
}
