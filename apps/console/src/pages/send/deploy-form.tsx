import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { constructorQuery, templatesQuery, versionsQuery } from '../../api/queries.ts';
import { named } from '../../lib/interface.ts';
import { Select } from '../../ui/field.tsx';
import { ProblemNote } from '../../ui/problem.tsx';
import { Arguments, soundArguments } from './arguments.tsx';
import { OperationForm } from './operation-form.tsx';
import type { Sender } from './sender.ts';

export function DeployForm({ sender }: { sender: Sender }) {
  const templates = useQuery(templatesQuery());
  const [templateId, setTemplateId] = useState('');
  const [chosen, setChosen] = useState({ tag: '', values: [] as readonly string[] });
  const versions = useQuery({ ...versionsQuery(templateId), enabled: templateId !== '' });
  const technology = sender.target?.ledger.technology;
  const usable = versions.data?.filter(
    ({ ledgerTechnology, compilationStatus }) =>
      compilationStatus === 'COMPILED' &&
      (technology === undefined || ledgerTechnology.ledgerTechnologyID === technology),
  );
  const tag = usable?.find((one) => one.tag === chosen.tag)?.tag ?? '';
  const inputs = useQuery(constructorQuery(templateId, tag));
  const parameters = named(inputs.data ?? []);
  const args = soundArguments(parameters, chosen.values);
  const options =
    tag === '' || inputs.data === undefined || args === undefined
      ? undefined
      : {
          contract_source: {
            lookup_service: { type: 'service', value: 'service' },
            resource: `${templateId}:${tag}`,
          },
          args,
        };
  return (
    <OperationForm
      type="contract_deploy"
      sender={sender}
      options={options}
      summary={[
        ['Template', templates.data?.find((one) => one.contractTemplateID === templateId)?.name],
        ['Version', tag],
        ...parameters.map(({ name }, index) => [name, args?.[index] ?? ''] as const),
      ]}
    >
      {templates.isError ? <ProblemNote error={templates.error} canRetry /> : null}
      <Select
        label="Template"
        required
        value={templateId}
        onChange={({ target }) => {
          setTemplateId(target.value);
          setChosen({ tag: '', values: [] });
        }}
      >
        <option value="">Choose…</option>
        {templates.data?.map(({ contractTemplateID, name }) => (
          <option key={contractTemplateID} value={contractTemplateID}>
            {name}
          </option>
        ))}
      </Select>
      <Select
        label="Version"
        required
        value={tag}
        onChange={({ target }) => setChosen({ tag: target.value, values: [] })}
      >
        <option value="">Choose…</option>
        {usable?.map((one) => (
          <option key={one.tag} value={one.tag}>
            {one.tag}
          </option>
        ))}
      </Select>
      {versions.isError ? <ProblemNote error={versions.error} canRetry /> : null}
      {inputs.isError ? <ProblemNote error={inputs.error} canRetry /> : null}
      <Arguments
        key={`${templateId}:${tag}`}
        parameters={parameters}
        values={chosen.values}
        change={(values) => setChosen({ ...chosen, values })}
      />
    </OperationForm>
  );
}
