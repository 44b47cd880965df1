// duckdb -csv -c SQL, as the command of DuckDB, by the package @duckdb/node-api that is installed in the folder of this file.
import { DuckDBInstance } from '@duckdb/node-api';

const [form, command, sql] = process.argv.slice(2);
if (form !== '-csv' || command !== '-c') throw new Error('want -csv -c SQL');
const connection = await (await DuckDBInstance.create()).connect();
const result = await connection.runAndReadAll(sql);
const cell = (value) => (/[",\n]/.test(value) ? '"' + String(value).replaceAll('"', '""') + '"' : value ?? '');
for (const row of [result.columnNames(), ...result.getRowsJson()]) console.log(row.map(cell).join(','));
