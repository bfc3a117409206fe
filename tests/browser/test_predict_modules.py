"""The script of a page's prediction: the fields it sends, and the cases without any."""

from tests.browser.modules import Module


def test_only_an_answer_that_was_asked_for_is_sent(module: Module) -> None:
    found = module(
        "asking/predict",
        """(m) => {
          const root = document.createElement("div");
          document.body.append(root);
          const predict = new m.Predict(root, { text: (key) => key }, () => {});
          const sent = [predict.prediction];
          const choices = [["a", "A"], ["b", "B"]];
          const ask = (about) => predict.ask({ name: "sweep", about, sentence: "?", choices });
          ask("n=3");
          sent.push(predict.prediction);
          root.querySelector("input[value=b]").click();
          sent.push(predict.prediction);
          ask("n=3");
          sent.push(predict.prediction);
          predict.fit(false);
          sent.push(predict.prediction);
          predict.fit(true);
          ask("n=5");
          sent.push(predict.prediction);
          root.querySelector("input[value=a]").click();
          predict.close();
          sent.push(predict.prediction);
          root.remove();
          return sent;
        }""",
        None,
    )
    answered = {"name": "sweep", "answer": "b"}
    # not asked, not answered, answered, asked again, not wanted, asked something else, taken away
    assert found == [None, None, answered, answered, None, None, None]
