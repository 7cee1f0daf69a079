import { useMutation, useQuery } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { useProject } from '../../api/access.ts';
import { path } from '../../api/client.ts';
import { useOnce } from '../../api/create.ts';
import { queries, technologiesQuery } from '../../api/queries.ts';
import { type Template, type TemplateVersion, templatesPath } from '../../api/templates.ts';
import { filled } from '../../lib/filled.ts';
import { deployableIn, FileError, filesOf, isSources, readTemplateCode } from '../../lib/template-code.ts';
import { Choice, FieldRow, Input, Select } from '../../ui/field.tsx';
import { FileField } from '../../ui/file-field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';

/** Adds a version to a template. Creates the template first if none is given. */
export function NewVersion({
  template,
  next = '1',
  done,
  close,
}: {
  template?: { readonly templateId: string; readonly technology: string | undefined };
  /** Suggested version. */
  next?: string;
  done: (templateId: string) => void;
  close: () => void;
}) {
  const technologies =
    useQuery(technologiesQuery()).data?.filter(({ templates }) => templates !== null) ?? [];
  const [chosen, setChosen] = useState(template?.technology ?? '');
  const [templateId, setTemplateId] = useState(template?.templateId ?? '');
  const [name, setName] = useState('');
  const [description, setDescription] = useState('');
  const [version, setVersion] = useState(next);
  const [contract, setContract] = useState('');
  const [files, setFiles] = useState<readonly File[]>([]);
  /** Names of the contracts in the chosen file. */
  const [compiled, setCompiled] = useState<{ readonly file: File; readonly names: readonly string[] }>();
  const [interfaceFile, setInterfaceFile] = useState<File>();
  /** Templates that this form created. If the service refused the version, the next attempt uses them. */
  const made = useRef(new Set<string>());
  const once = useOnce();
  const project = useProject();
  const technology = technologies.find((one) => one.name === chosen) ?? technologies[0];
  const form = technology?.templates ?? undefined;
  const about = form === undefined ? undefined : filesOf(form);
  const mayChooseContract = about?.hasInterface === false && isSources(files);
  const names = about?.hasInterface === false && compiled?.file === files[0] ? (compiled?.names ?? []) : [];
  const choose = (given: readonly File[]) => {
    setFiles(given);
    setContract('');
    const [file] = given;
    if (file === undefined) return;
    void deployableIn(file).then((contracts) =>
      setCompiled({ file, names: contracts.map((one) => one.name) }),
    );
  };
  const add = useMutation({
    async mutationFn() {
      if (form === undefined || technology === undefined)
        throw new FileError('No installed plugin supports templates.');
      const code = await readTemplateCode(form, files, interfaceFile, contract);
      if (template === undefined && !made.current.has(templateId)) {
        await once<Template>(templatesPath, {
          templateId,
          name: name === '' ? templateId : name,
          ...filled({ description, projectId: project?.projectId }),
        });
        made.current.add(templateId);
      }
      await once<TemplateVersion>(path`/v1/contract-templates/${templateId}/versions`, {
        ...{ version, code, technology: technology.name },
        ...(mayChooseContract && contract !== '' ? { contract } : {}),
      });
    },
    onSettled: () => queries.invalidateQueries({ queryKey: ['templates'] }),
    onSuccess() {
      close();
      done(templateId);
    },
  });
  return (
    <FormDialog
      title={template === undefined ? 'New template' : 'New version'}
      about="The service compiles sources; compiler output is used as it is."
      confirm={template === undefined ? 'Add the template' : 'Add the version'}
      request={add}
      submit={() => add.mutate()}
      close={close}
    >
      {template === undefined ? (
        <>
          <Input
            label="Id"
            at="/templateId"
            hint="Operations name the template by this id and a version, such as my-token:1."
            required
            pattern="[A-Za-z0-9._\-]{1,64}"
            title="1 to 64 letters, digits, dots, hyphens or underscores"
            value={templateId}
            set={(text) => setTemplateId(text.trim())}
          />
          <Input
            label="Name"
            at="/name"
            hint="Leave empty to use the template’s id as its name."
            maxLength={256}
            value={name}
            set={setName}
          />
          <Input
            label="Description"
            at="/description"
            maxLength={4_096}
            value={description}
            set={setDescription}
          />
        </>
      ) : null}
      <FieldRow>
        <Select
          label="Technology"
          at="/technology"
          required
          value={technology?.name ?? ''}
          set={setChosen}
          options={technologies.map((one) => [one.name, one.title])}
        />
        <Input
          label="Version"
          at="/version"
          required
          maxLength={64}
          value={version}
          set={(text) => setVersion(text.trim())}
        />
      </FieldRow>
      {about === undefined ? null : <FileField key={technology?.name} {...about} required choose={choose} />}
      {mayChooseContract ? (
        <Input
          label="Contract"
          hint="Which contract to use, if the sources contain several: Name, or File.sol:Name."
          maxLength={512}
          value={contract}
          set={(text) => setContract(text.trim())}
        />
      ) : null}
      {names.length > 1 ? (
        <Choice
          label="Contract"
          value={contract}
          set={setContract}
          options={names.map((one) => [one, one])}
        />
      ) : null}
      {about?.hasInterface === true ? (
        <FileField
          label="Interface"
          hint="Contract metadata, or an IDL, in JSON. Optional if the code or the ledger contains it."
          accept=".json"
          choose={([file]) => setInterfaceFile(file)}
        />
      ) : null}
    </FormDialog>
  );
}
