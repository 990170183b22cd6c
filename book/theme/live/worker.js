// Runs the module of one page: fetches it once, and answers questions in order.

let page;

// What a call of the module gave: a length, and so much JSON.
function result(at) {
    const length = new DataView(page.memory.buffer).getUint32(at, true);
    const bytes = new Uint8Array(page.memory.buffer, at + 4, length);
    const answer = JSON.parse(new TextDecoder().decode(bytes));
    if ("error" in answer) {
        throw answer.error;
    }
    return answer.ok;
}

function call(name, bytes) {
    const at = page.alloc(bytes.length);
    new Uint8Array(page.memory.buffer, at, bytes.length).set(bytes);
    return result(page[name]());
}

async function bytes(address) {
    const response = await fetch(address).catch(() => ({ status: "no answer" }));
    if (!response.ok) {
        const file = address.split("/").pop();
        throw new Error(`the file ${file} does not come (${response.status})`);
    }
    return new Uint8Array(await response.arrayBuffer());
}

async function start({ module, model }) {
    const [code, weights] = await Promise.all([
        bytes(module), model ? bytes(model) : new Uint8Array(),
    ]);
    const { instance } = await WebAssembly.instantiate(code, {});
    page = instance.exports;
    call("start", weights);
    postMessage({ loaded: true });
}

let ready;
addEventListener("message", async ({ data }) => {
    if (data.module) {
        ready = start(data);
        ready.catch(() => {}); // reported to the first that asks
        return;
    }
    try {
        await ready;
    } catch (error) {
        const why = error.message ?? error;
        postMessage({ error: `the program cannot be loaded: ${why}. “Start over” tries again`, ended: true });
        return;
    }
    try {
        const answer = call("ask", new TextEncoder().encode(JSON.stringify(data.question)));
        postMessage({ ok: answer });
    } catch (error) {
        // A string is an answer; anything else has ended the module.
        const known = typeof error === "string";
        postMessage({ error: known ? error : `this has stopped the program: ${error.message}`, ended: !known });
    }
});
