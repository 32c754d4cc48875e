// SPDX-License-Identifier: Apache-2.0
import { mount } from "svelte";

import { prepareOrder } from "../base/table";
import App from "./App.svelte";
import { startTheme } from "./theme";
import "./theme.css";

startTheme();
mount(App, { target: document.getElementById("app")! });
setTimeout(prepareOrder, 1500); // behind the first page
